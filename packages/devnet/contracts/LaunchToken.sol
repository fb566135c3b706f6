// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Erc20} from "./Erc20.sol";

/// A token born on the launch pad. Until graduation nobody can send it to its future pair, so that
/// nobody can set the pair's price first.
contract LaunchToken is Erc20 {
    string public name;
    string public symbol;
    uint8 public constant decimals = 18;
    address public immutable launchPad;
    address public immutable pair;
    bool public isGraduated;

    constructor(
        string memory name_,
        string memory symbol_,
        uint256 supply,
        address factory,
        address weth
    ) {
        name = name_;
        symbol = symbol_;
        launchPad = msg.sender;
        (address token0, address token1) = address(this) < weth ? (address(this), weth) : (weth, address(this));
        // The init code hash of the published UniswapV2Pair.
        pair = address(
            uint160(
                uint256(
                    keccak256(
                        abi.encodePacked(
                            hex"ff",
                            factory,
                            keccak256(abi.encodePacked(token0, token1)),
                            hex"96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f"
                        )
                    )
                )
            )
        );
        _mint(msg.sender, supply);
    }

    function graduate() external {
        require(msg.sender == launchPad, "launch pad");
        isGraduated = true;
    }

    function _move(address from, address to, uint256 value) internal override {
        require(to != pair || isGraduated, "not graduated");
        super._move(from, to, value);
    }
}
