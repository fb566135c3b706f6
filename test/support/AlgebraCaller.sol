// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;

interface Token {
    function transferFrom(address from, address to, uint256 value) external returns (bool);
}

interface Pool {
    function token0() external view returns (address);
    function token1() external view returns (address);
    function mint(address sender, address recipient, int24 bottomTick, int24 topTick, uint128 liquidity, bytes calldata data) external;
    function swap(address recipient, bool zeroToOne, int256 amount, uint160 limit, bytes calldata data) external;
}

/// Calls Algebra pools for the sender of the transaction, who pays.
contract AlgebraCaller {
    function mint(Pool pool, int24 bottomTick, int24 topTick, uint128 liquidity) external {
        pool.mint(msg.sender, msg.sender, bottomTick, topTick, liquidity, abi.encode(msg.sender));
    }

    function swap(Pool pool, bool zeroToOne, int256 amount, uint160 limit) external {
        pool.swap(msg.sender, zeroToOne, amount, limit, abi.encode(msg.sender));
    }

    function algebraMintCallback(uint256 amount0, uint256 amount1, bytes calldata data) external {
        pay(int256(amount0), int256(amount1), data);
    }

    function algebraSwapCallback(int256 amount0, int256 amount1, bytes calldata data) external {
        pay(amount0, amount1, data);
    }

    function pay(int256 amount0, int256 amount1, bytes calldata data) private {
        address payer = abi.decode(data, (address));
        if (amount0 > 0) Token(Pool(msg.sender).token0()).transferFrom(payer, msg.sender, uint256(amount0));
        if (amount1 > 0) Token(Pool(msg.sender).token1()).transferFrom(payer, msg.sender, uint256(amount1));
    }
}
