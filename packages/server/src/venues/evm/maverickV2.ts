import { encodeCall, readAddressWord, readWord, selector } from './asking/callWords.ts'
import { answered } from './asking/inquiry.ts'
import { atPool } from './asking/poolEnds.ts'
import type { LogDecoder } from './decoding/blockScope.ts'
import { dataLength, readAddress, readUint } from './decoding/hexWords.ts'
import { swapEvent } from './decoding/swapEvent.ts'
import type { EvmVenue } from './venue.ts'

const decodeSwap: LogDecoder = (log, scope) => {
  if (log.topics.length !== 1 || log.data.length < dataLength(8)) return false
  const [sender, to] = [readAddress(log.data, 0), readAddress(log.data, 1)]
  const side = readUint(log.data, 3)
  if (sender === null || to === null || side > 1n) return false
  const [into, out] = [readUint(log.data, 6), -readUint(log.data, 7)]
  const [amount0, amount1] = side === 1n ? [into, out] : [out, into]
  scope.push(swapEvent(log, scope, { sender, to, amount0, amount1 }))
  return true
}

/** Maverick V2. Its tokens are A and B; the price is what was paid. */
export const maverickV2: EvmVenue = {
  name: 'maverickV2',
  kind: 'concentrated',
  events: {
    // PoolSwap(address sender, address recipient, (uint256 amount, bool tokenAIn, bool exactOutput, int32 tickLimit) params,
    // uint256 amountIn, uint256 amountOut)
    '0x103ed084e94a44c8f5f6ba8e3011507c41063177e29949083c439777d8d63f60': decodeSwap,
  },
  identity: {
    questions: {
      tokenA: atPool(selector.tokenA),
      tokenB: atPool(selector.tokenB),
      factory: atPool(selector.factory),
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
  traces: { isUnordered: true },
}
