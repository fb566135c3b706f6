// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Erc20} from "./Erc20.sol";

/// Every transfer except those of the owner pays a fee to the owner; the two Transfer events are exact.
contract FeeToken is Erc20 {
    string public name;
    string public symbol;
    uint8 public constant decimals = 18;
    address public immutable owner;
    uint256 public immutable feeBps;

    constructor(string memory name_, string memory symbol_, uint256 supply, uint256 feeBps_) {
        require(feeBps_ < 10_000, "fee");
        name = name_;
        symbol = symbol_;
        owner = msg.sender;
        feeBps = feeBps_;
        _mint(msg.sender, supply);
    }

    function _move(address from, address to, uint256 value) internal override {
        uint256 fee = from == owner || to == owner ? 0 : (value * feeBps) / 10_000;
        if (fee > 0) super._move(from, owner, fee);
        super._move(from, to, value - fee);
    }
}
