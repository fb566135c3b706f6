// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Erc20} from "./Erc20.sol";

/// Metadata made to break readers: a name of `nameLength` bytes that starts with control characters,
/// a symbol with NUL, markup, a right-to-left override and bytes that are not UTF-8.
contract HostileToken is Erc20 {
    uint8 public constant decimals = 18;
    uint256 public immutable nameLength;

    constructor(uint256 supply, uint256 nameLength_) {
        nameLength = nameLength_;
        _mint(msg.sender, supply);
    }

    /// Letters repeat after 26 bytes, words of 32 therefore after 416: only the first are made one by one. A node that keeps
    /// every instruction of a call would keep a million.
    function name() external view returns (string memory) {
        bytes memory text = new bytes(nameLength);
        for (uint256 i = 0; i < text.length && i < 448; i++) {
            text[i] = i < 32 ? bytes1(uint8(i)) : bytes1(uint8(0x41 + (i % 26)));
        }
        for (uint256 i = 448; i < text.length; i += 32) {
            assembly {
                let place := add(add(text, 32), i)
                mstore(place, mload(sub(place, 416)))
            }
        }
        return string(text);
    }

    function symbol() external pure returns (string memory) {
        bytes memory text = hex"455649004c3c623e0a1b5b33316de280ae58fffe7f";
        return string(text);
    }
}
