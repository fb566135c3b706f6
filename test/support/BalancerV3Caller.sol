// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

interface Token {
    function transferFrom(address from, address to, uint256 value) external returns (bool);
}

interface Vault {
    function unlock(bytes calldata data) external returns (bytes memory);
    function settle(Token token, uint256 amount) external returns (uint256);
    function sendTo(Token token, address to, uint256 amount) external;
    function getTokenDelta(Token token) external view returns (int256);
}

/// Calls the Balancer V3 vault for the sender of the transaction, who pays debts and receives credits.
contract BalancerV3Caller {
    function act(Vault vault, bytes calldata what, Token[] calldata tokens) external {
        vault.unlock(abi.encodeCall(this.actUnlocked, (msg.sender, what, tokens)));
    }

    function actUnlocked(address user, bytes calldata what, Token[] calldata tokens) external {
        Vault vault = Vault(msg.sender);
        (bool isDone, bytes memory answer) = msg.sender.call(what);
        if (!isDone) {
            assembly {
                revert(add(answer, 32), mload(answer))
            }
        }
        for (uint256 i = 0; i < tokens.length; i++) {
            int256 owed = vault.getTokenDelta(tokens[i]);
            if (owed > 0) {
                tokens[i].transferFrom(user, msg.sender, uint256(owed));
                vault.settle(tokens[i], uint256(owed));
            }
            if (owed < 0) vault.sendTo(tokens[i], user, uint256(-owed));
        }
    }
}
