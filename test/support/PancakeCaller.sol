// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;

interface Token {
    function transferFrom(address from, address to, uint256 value) external returns (bool);
}

interface Pool {
    function token0() external view returns (address);
    function token1() external view returns (address);
    function mint(address recipient, int24 tickLower, int24 tickUpper, uint128 amount, bytes calldata data) external;
    function swap(address recipient, bool zeroForOne, int256 amount, uint160 limit, bytes calldata data) external;
}

/// Creates PancakeSwap V3 pools for their factory from the published bytecode of a pool.
contract PancakeDeployer {
    struct Parameters {
        address factory;
        address token0;
        address token1;
        uint24 fee;
        int24 tickSpacing;
    }

    Parameters public parameters;
    address private immutable creation;

    /// Keeps the pool's bytecode as the code of a contract: storage would exceed a block's gas.
    constructor(bytes memory code) {
        bytes memory keeper = abi.encodePacked(hex"600b5981380380925939f3", code);
        address made;
        assembly {
            made := create(0, add(keeper, 32), mload(keeper))
        }
        require(made != address(0));
        creation = made;
    }

    function deploy(address factory, address token0, address token1, uint24 fee, int24 tickSpacing) external returns (address pool) {
        parameters = Parameters(factory, token0, token1, fee, tickSpacing);
        bytes memory code = creation.code;
        bytes32 salt = keccak256(abi.encode(token0, token1, fee));
        assembly {
            pool := create2(0, add(code, 32), mload(code), salt)
        }
        require(pool != address(0));
        delete parameters;
    }
}

/// Calls PancakeSwap V3 pools for the sender of the transaction, who pays.
contract PancakeCaller {
    function mint(Pool pool, int24 tickLower, int24 tickUpper, uint128 liquidity) external {
        pool.mint(msg.sender, tickLower, tickUpper, liquidity, abi.encode(msg.sender));
    }

    function swap(Pool pool, bool zeroForOne, int256 amount, uint160 limit) external {
        pool.swap(msg.sender, zeroForOne, amount, limit, abi.encode(msg.sender));
    }

    function pancakeV3MintCallback(uint256 amount0, uint256 amount1, bytes calldata data) external {
        pay(int256(amount0), int256(amount1), data);
    }

    function pancakeV3SwapCallback(int256 amount0, int256 amount1, bytes calldata data) external {
        pay(amount0, amount1, data);
    }

    function pay(int256 amount0, int256 amount1, bytes calldata data) private {
        address payer = abi.decode(data, (address));
        if (amount0 > 0) Token(Pool(msg.sender).token0()).transferFrom(payer, msg.sender, uint256(amount0));
        if (amount1 > 0) Token(Pool(msg.sender).token1()).transferFrom(payer, msg.sender, uint256(amount1));
    }
}
