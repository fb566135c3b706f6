import { selector } from '../asking/callWords.ts'
import { callPool } from '../asking/inquiry.ts'
import { uniswapV3 } from '../uniswap/uniswapV3.ts'
import type { EvmVenue } from '../venue.ts'

const uniswapSwap = '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67'
const { [uniswapSwap]: decodeSwap, ...sharedEvents } = uniswapV3.events
const { marks, questions, ...identity } = uniswapV3.identity!

/**
 * PancakeSwap V3: Uniswap V3 with its own Swap event, which ends with two words of fees that are
 * not used.
 */
export const pancakeV3: EvmVenue = {
  ...uniswapV3,
  name: 'pancakeV3',
  events: {
    ...sharedEvents,
    // Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1,
    // uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint128 protocolFeesToken0, uint128
    // protocolFeesToken1)
    '0x19b47279256b2a23a1665c810c8d55a1758940ee09377d4f8d26497a3577dc83': decodeSwap!,
  },
  identity: {
    ...identity,
    // Pool of farm rewards: no Uniswap pool has one.
    questions: { ...questions, lmPool: callPool(selector.lmPool) },
    marks: [...marks, 'lmPool'],
  },
}
