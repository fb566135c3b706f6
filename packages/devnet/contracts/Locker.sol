// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

interface ILockable {
    function balanceOf(address owner) external view returns (uint256);
    function transfer(address to, uint256 value) external returns (bool);
    function transferFrom(address from, address to, uint256 value) external returns (bool);
}

/// Holds tokens, or the shares of a pair, until a time; nobody can take them out before.
contract Locker {
    event Deposited(
        uint256 indexed id,
        address indexed token,
        address indexed owner,
        uint256 amount,
        uint256 unlockTime
    );
    event Withdrawn(uint256 indexed id, address indexed token, address indexed owner, uint256 amount);

    struct Lock {
        address token;
        address owner;
        uint256 amount;
        uint256 unlockTime;
    }

    Lock[] public locks;

    function deposit(address token, uint256 amount, uint256 unlockTime) external returns (uint256 id) {
        require(unlockTime > block.timestamp, "time");
        uint256 held = ILockable(token).balanceOf(address(this));
        require(ILockable(token).transferFrom(msg.sender, address(this), amount), "transfer");
        // Of a token that takes a fee less arrives than was sent.
        uint256 arrived = ILockable(token).balanceOf(address(this)) - held;
        require(arrived > 0, "amount");
        id = locks.length;
        locks.push(Lock(token, msg.sender, arrived, unlockTime));
        emit Deposited(id, token, msg.sender, arrived, unlockTime);
    }

    function withdraw(uint256 id) external {
        Lock storage lock = locks[id];
        (address token, uint256 amount) = (lock.token, lock.amount);
        require(msg.sender == lock.owner, "owner");
        require(block.timestamp >= lock.unlockTime, "locked");
        require(amount > 0, "withdrawn");
        lock.amount = 0;
        require(ILockable(token).transfer(msg.sender, amount), "transfer");
        emit Withdrawn(id, token, msg.sender, amount);
    }
}
