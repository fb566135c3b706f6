// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// Tokens with one trick each, for the contract check.
abstract contract Base {
    event Transfer(address indexed from, address indexed to, uint256 value);

    string public constant name = "Trick";
    string public constant symbol = "TRICK";
    uint8 public constant decimals = 18;
    uint256 public totalSupply = 1e24;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    address internal immutable maker = msg.sender;

    constructor() {
        balanceOf[msg.sender] = totalSupply;
        emit Transfer(address(0), msg.sender, totalSupply);
    }

    function approve(address spender, uint256 value) public virtual returns (bool) {
        allowance[msg.sender][spender] = value;
        return true;
    }

    function transfer(address to, uint256 value) public virtual returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) public virtual returns (bool) {
        allowance[from][msg.sender] -= value;
        _move(from, to, value);
        return true;
    }

    function _move(address from, address to, uint256 value) internal virtual {
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}

/// Nobody but its maker can spend for others, and that is how all sales are made.
contract SpendTrap is Base {
    function transferFrom(address from, address to, uint256 value) public override returns (bool) {
        require(from == maker, "spend");
        return super.transferFrom(from, to, value);
    }
}

/// Says yes and moves nothing when somebody sells.
contract SilentTrap is Base {
    mapping(address => bool) public insider;
    address private pool;

    function favour(address account, address pool_) external {
        require(msg.sender == maker);
        insider[account] = true;
        pool = pool_;
    }

    function _move(address from, address to, uint256 value) internal override {
        if (to == pool && from != maker && !insider[from]) return;
        super._move(from, to, value);
    }
}

/// Not more than three fifths of what one has may be sent to a contract at once.
contract PartSeller is Base {
    function _move(address from, address to, uint256 value) internal override {
        if (from != maker && to.code.length > 0) require(value * 5 <= balanceOf[from] * 3, "too much");
        super._move(from, to, value);
    }
}

/// One move an account and block.
contract OncePerBlock is Base {
    mapping(address => uint256) private last;

    function _move(address from, address to, uint256 value) internal override {
        if (from != maker && from.code.length == 0) {
            require(last[from] != block.number, "cooldown");
        }
        if (tx.origin == from || tx.origin == to) {
            require(from == maker || last[tx.origin] != block.number, "cooldown");
            last[tx.origin] = block.number;
        }
        super._move(from, to, value);
    }
}

/// Contracts other than pools are refused.
contract NoContracts is Base {
    mapping(address => bool) private isPool;

    function allow(address pool) external {
        require(msg.sender == maker);
        isPool[pool] = true;
    }

    function _move(address from, address to, uint256 value) internal override {
        require(from.code.length == 0 || isPool[from], "contract");
        require(to.code.length == 0 || isPool[to] || from == maker, "contract");
        super._move(from, to, value);
    }
}

/// Buys are free, sales pay a quarter, transfers a tenth.
contract ThreeTaxes is Base {
    address private pool;

    function setPool(address pool_) external {
        require(msg.sender == maker);
        pool = pool_;
    }

    function _move(address from, address to, uint256 value) internal override {
        uint256 tax = from == maker || from == pool ? 0 : to == pool ? value / 4 : value / 10;
        super._move(from, to, value - tax);
        if (tax > 0) super._move(from, address(0xdEaD), tax);
    }
}

/// A function without a telling name makes tokens for its maker.
contract Backdoor is Base {
    function sync(uint256 value) external {
        require(msg.sender == maker);
        balanceOf[maker] += value;
    }
}

/// Its code can be replaced by its admin (EIP-1967).
contract Proxy {
    bytes32 private constant SLOT = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;

    constructor(address implementation) {
        assembly {
            sstore(SLOT, implementation)
        }
    }

    fallback() external payable {
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), sload(SLOT), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(ok) {
                revert(0, returndatasize())
            }
            return(0, returndatasize())
        }
    }
}

/// Keeps the address of its code where nobody looks for it.
contract StrangeProxy {
    address private immutable target;

    constructor(address target_) {
        target = target_;
    }

    fallback() external payable {
        address to = target;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), to, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(ok) {
                revert(0, returndatasize())
            }
            return(0, returndatasize())
        }
    }
}
