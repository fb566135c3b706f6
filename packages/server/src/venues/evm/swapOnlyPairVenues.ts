import type { LogDecoder } from './decoding/blockScope.ts'
import { dataLength, readInt, readUint, readUintTopic } from './decoding/hexWords.ts'
import { swapEvent, tradeOf } from './decoding/poolEvents.ts'
import type { EvmVenue } from './venue.ts'

// Venues of two tokens per pool with swap events of their own. Their pools are not asked for their
// tokens, so they get no pairs.

const kind = 'concentrated'

/** Amounts in and out of each token, as in Uniswap V2, with further words behind. */
const decodeFourAmounts: LogDecoder = (log, scope) => {
  if (log.topics.length !== 3 || log.data.length < dataLength(5)) return false
  const sender = scope.addresses.ofTopic(log.topics[1]!)
  const to = scope.addresses.ofTopic(log.topics[2]!)
  if (sender === null || to === null) return false
  const [in0, in1, out0, out1] = [0, 1, 2, 3].map((word) => readUint(log.data, word))
  const amounts = { amount0: in0! - out0!, amount1: in1! - out1! }
  scope.push(swapEvent(log, scope, { sender, to, ...amounts }))
  return true
}

/** KyberSwap Classic: Uniswap V2 pools with a dynamic fee and reserves above their holdings. */
export const kyberClassic: EvmVenue = {
  name: 'kyberClassic',
  kind,
  events: {
    // Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out,
    // uint256 amount1Out, address indexed to, uint256 feeInPrecision)
    '0x606ecd02b3e3b4778f8e97b2e03351de14224efaa5fa64e62200afc9395c2499': decodeFourAmounts,
  },
}

/** EulerSwap: each pool trades the holdings of one account in lending vaults. */
export const eulerSwap: EvmVenue = {
  name: 'eulerSwap',
  kind,
  events: {
    // Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out,
    // uint256 amount1Out, uint112 reserve0, uint112 reserve1, address indexed to)
    '0x4813b0ad1586a6c47f088a07b488c1eadc58e7e7a9c3f1a71b3f33c5379133aa': decodeFourAmounts,
    // The second version, with two words of fees before the reserves.
    '0x8337ab1cd063c6a0121e4b67ad00ec5640783101bb89ad879ffb0fe28b503e95': decodeFourAmounts,
  },
}

const decodeSigned: LogDecoder = (log, scope) => {
  if (log.topics.length !== 3 || log.data.length < dataLength(2)) return false
  const sender = scope.addresses.ofTopic(log.topics[1]!)
  const to = scope.addresses.ofTopic(log.topics[2]!)
  if (sender === null || to === null) return false
  const amounts = { amount0: readInt(log.data, 0), amount1: readInt(log.data, 1) }
  scope.push(swapEvent(log, scope, { sender, to, ...amounts }))
  return true
}

/** SmarDex. Amounts are the pool's: positive is received. */
export const smarDex: EvmVenue = {
  name: 'smarDex',
  kind,
  events: {
    // Swap(address indexed sender, address indexed to, int256 amount0, int256 amount1)
    '0xa4228e1eb11eb9b31069d9ed20e7af9a010ca1a02d4855cee54e08e188fcc32c': decodeSigned,
  },
}

const decodeIzi: LogDecoder = (log, scope) => {
  if (log.topics.length !== 4 || log.data.length < dataLength(4)) return false
  const tokenX = scope.addresses.ofTopic(log.topics[1]!)
  const tokenY = scope.addresses.ofTopic(log.topics[2]!)
  const side = readUint(log.data, 0)
  if (tokenX === null || tokenY === null || tokenX === tokenY || side > 1n) return false
  if (readUintTopic(log.topics[3]!) === null) return false
  const x = [tokenX, readUint(log.data, 1)] as const
  const y = [tokenY, readUint(log.data, 2)] as const
  const trade = side === 1n ? tradeOf(x, y) : tradeOf(y, x)
  const sender = scope.walletOr(log.address)
  scope.push(swapEvent(log, scope, { sender, to: sender, ...trade }))
  return true
}

/** iZiSwap: liquidity at price points, with limit orders beside it. Its events name both tokens. */
export const iziSwap: EvmVenue = {
  name: 'iziSwap',
  kind,
  events: {
    // Swap(address indexed tokenX, address indexed tokenY, uint24 indexed fee, bool sellXEarnY,
    // uint256 amountX, uint256 amountY, int24 currentPoint)
    '0x0fe977d619f8172f7fdbe8bb8928ef80952817d96936509f67d66346bc4cd10f': decodeIzi,
  },
}
