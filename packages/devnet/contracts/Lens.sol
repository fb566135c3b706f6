// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

interface IPoolV2 {
    function getReserves() external view returns (uint112, uint112, uint32);
}

interface IPoolV3 {
    function slot0() external view returns (uint160, int24, uint16, uint16, uint16, uint8, bool);
    function liquidity() external view returns (uint128);
}

interface IToken {
    function balanceOf(address) external view returns (uint256);
    function allowance(address, address) external view returns (uint256);
}

interface ILaunchPad {
    function tokenCount() external view returns (uint256);
    function tokens(uint256) external view returns (address);
    function curves(address) external view returns (uint256, uint256, uint256, uint256, bool);
}

/// All that the bots look at before a block, in two calls; answers are flat words.
contract Lens {
    /// Two words a pool: reserves of a V2 pair; square-root price and liquidity of a V3 pool. Then
    /// the number of launched tokens, and three words for each of the newest `curveCountMax`, newest
    /// first: token, tokens left on the curve (0 when graduated), native raised.
    function market(
        address[] calldata v2,
        address[] calldata v3,
        ILaunchPad launchPad,
        uint256 curveCountMax
    ) external view returns (uint256[] memory words) {
        uint256 count = launchPad.tokenCount();
        uint256 curveCount = count < curveCountMax ? count : curveCountMax;
        words = new uint256[](2 * (v2.length + v3.length) + 1 + 3 * curveCount);
        uint256 next = 0;
        for (uint256 i = 0; i < v2.length; i++) {
            (uint256 reserve0, uint256 reserve1, ) = IPoolV2(v2[i]).getReserves();
            words[next++] = reserve0;
            words[next++] = reserve1;
        }
        for (uint256 i = 0; i < v3.length; i++) {
            (uint256 sqrtPrice, , , , , , ) = IPoolV3(v3[i]).slot0();
            words[next++] = sqrtPrice;
            words[next++] = IPoolV3(v3[i]).liquidity();
        }
        words[next++] = count;
        for (uint256 i = 0; i < curveCount; i++) {
            address token = launchPad.tokens(count - 1 - i);
            (, , uint256 realToken, uint256 realEth, ) = launchPad.curves(token);
            words[next++] = uint160(token);
            words[next++] = realToken;
            words[next++] = realEth;
        }
    }

    /// Balance of the owner and allowance for the spender, two words each.
    function holdings(
        address[] calldata tokens,
        address[] calldata owners,
        address[] calldata spenders
    ) external view returns (uint256[] memory words) {
        words = new uint256[](2 * tokens.length);
        for (uint256 i = 0; i < tokens.length; i++) {
            words[2 * i] = IToken(tokens[i]).balanceOf(owners[i]);
            words[2 * i + 1] = IToken(tokens[i]).allowance(owners[i], spenders[i]);
        }
    }
}
