import { encodeCall, readAddressWord, readWord, selector } from './asking/callWords.ts'
import { answered, callPool } from './asking/inquiry.ts'
import type { LogDecoder } from './decoding/blockScope.ts'
import { dataLength, readAddress, readUint } from './decoding/hexWords.ts'
import { swapEvent } from './decoding/poolEvents.ts'
import type { EvmVenue } from './venue.ts'

/** Words of a swap: whether A came in, and the input amount, which the output follows. */
type SwapShape = { words: number; side: number; amounts: number }

function swapDecoder({ words, side: sideWord, amounts }: SwapShape): LogDecoder {
  return (log, scope) => {
    if (log.topics.length !== 1 || log.data.length < dataLength(words)) return false
    const [sender, to] = [readAddress(log.data, 0), readAddress(log.data, 1)]
    const side = readUint(log.data, sideWord)
    if (sender === null || to === null || side > 1n) return false
    const [into, out] = [readUint(log.data, amounts), -readUint(log.data, amounts + 1)]
    const [amount0, amount1] = side === 1n ? [into, out] : [out, into]
    scope.push(swapEvent(log, scope, { sender, to, amount0, amount1 }))
    return true
  }
}

/** Maverick V1. Its pools get no pairs: liquidity moved to the second version. */
export const maverickV1: EvmVenue = {
  name: 'maverickV1',
  kind: 'concentrated',
  events: {
    // Swap(address sender, address recipient, bool tokenAIn, bool exactOutput, uint256 amountIn,
    // uint256 amountOut, int32 activeTick)
    '0x3b841dc9ab51e3104bda4f61b41e4271192d22cd19da5ee6e292dc8e2744f713': swapDecoder({
      words: 7,
      side: 2,
      amounts: 4,
    }),
  },
}

/** Maverick V2. Its tokens are A and B; the price is the ratio of the amounts. */
export const maverickV2: EvmVenue = {
  name: 'maverickV2',
  kind: 'concentrated',
  events: {
    // PoolSwap(address sender, address recipient, (uint256 amount, bool tokenAIn, bool exactOutput,
    // int32 tickLimit) params, uint256 amountIn, uint256 amountOut)
    '0x103ed084e94a44c8f5f6ba8e3011507c41063177e29949083c439777d8d63f60': swapDecoder({
      words: 8,
      side: 3,
      amounts: 6,
    }),
  },
  identity: {
    questions: {
      tokenA: callPool(selector.tokenA),
      tokenB: callPool(selector.tokenB),
      factory: callPool(selector.factory),
    },
    marks: ['tokenA', 'tokenB', 'factory'],
    read(answers) {
      const [token0, token1, factory] = [answers.tokenA, answers.tokenB, answers.factory].map(
        (answer) => readAddressWord(answer!, 0),
      )
      if (!token0 || !token1 || !factory || token0 === token1) return answered(null)
      return answered({ token0, token1, factory, others: [], feePpm: null, params: [] })
    },
    confirm: (pool, { factory }) => [
      {
        call: { to: factory, data: encodeCall(selector.isFactoryPool, pool) },
        isYes: (answer) => readWord(answer, 0) === 1n,
      },
    ],
  },
}
