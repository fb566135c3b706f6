import { encodeCall, readAddressWord, readWord, selector } from './asking/callWords.ts'
import {
  answered,
  askAll,
  callPool,
  type Inquiry,
  pairQuestions,
  type ViewAnswer,
} from './asking/inquiry.ts'
import type { LogDecoder } from './decoding/blockScope.ts'
import { dataLength, readAddress, readUint, readUintTopic } from './decoding/hexWords.ts'
import { ratioOf } from './decoding/poolEvents.ts'
import { uniswapV2 } from './uniswap/uniswapV2.ts'
import type { EvmVenue, PoolIdentity } from './venue.ts'

const swapTopic = '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822'
const mintTopic = '0x4c209b5fc8ad50758f13e2e1088ba56a560dff690a1c6fef26394f4c03821c4f'
const burnTopic = '0xdccd412f0b1252819cb1fd330b93224ca42612892bb3f4f789976e6d81936496'
const {
  [swapTopic]: decodeSwap,
  [mintTopic]: decodeMint,
  [burnTopic]: decodeBurn,
} = uniswapV2.events

/** The stable curve counts tokens in this unit. */
const unit = 10n ** 18n
// Fees are in ten-thousandths.
const feeUnitPpm = 100n
const feeMax = 10_000n

/** Older factories put `stable` into the data, newer ones into a topic. */
function createdDecoder(topicCount: number): LogDecoder {
  return (log, scope) => {
    if (log.topics.length !== topicCount || log.data.length < dataLength(6 - topicCount))
      return false
    const token0 = scope.addresses.ofTopic(log.topics[1]!)
    const token1 = scope.addresses.ofTopic(log.topics[2]!)
    const stable = topicCount === 4 ? readUintTopic(log.topics[3]!) : readUint(log.data, 0)
    const pool = readAddress(log.data, 4 - topicCount)
    if (token0 === null || token1 === null || pool === null) return false
    if (stable === null || stable > 1n) return false
    scope.push({
      type: 'pool',
      index: log.logIndex,
      txHash: log.transactionHash,
      wallet: scope.walletOr(log.address),
      kind: 'constantProduct',
      factory: log.address,
      pool,
      token0,
      token1,
      feePpm: null,
      venues: scope.venues,
      // The stable curve needs decimals, which the event does not have.
      params: null,
    })
    return true
  }
}

const solidlyAlone = ['solidly'] as const

/** Solidly's pools emit it before its event, SyncSwap's after it. */
const decodeSync: LogDecoder = (log, scope) => {
  if (log.topics.length !== 1 || log.data.length < dataLength(2)) return false
  scope.pushSync({
    type: 'sync',
    index: log.logIndex,
    txHash: log.transactionHash,
    wallet: scope.walletOr(log.address),
    pool: log.address,
    reserve0: readUint(log.data, 0),
    reserve1: readUint(log.data, 1),
    priceRaw: null,
    venues: scope.awaitsSync(log.address) ? scope.venues : solidlyAlone,
  })
  return true
}

function readPool(
  answers: Readonly<Record<string, ViewAnswer>>,
  pool: string,
): Inquiry<PoolIdentity | null> {
  const at = (name: string) => answers[name] ?? '0x'
  const [token0, token1] = [readAddressWord(at('token0'), 0), readAddressWord(at('token1'), 0)]
  const stable = readWord(at('stable'), 0)
  const [scale0, scale1] = [readWord(at('metadata'), 0), readWord(at('metadata'), 1)]
  if (!token0 || !token1 || token0 === token1 || !scale0 || !scale1) return answered(null)
  if (stable === undefined || stable > 1n) return answered(null)
  // Pairs of the first generation do not reveal their factory.
  const factory = readAddressWord(at('factory'), 0) ?? ''
  const params = [stable, scale0, scale1]
  const identity = { token0, token1, factory, others: [], feePpm: null, params }
  if (factory === '') return answered(identity)
  const data = encodeCall(selector.getFeeOf, pool, Number(stable))
  return askAll({ fee: { to: factory, data } }, ({ fee }) => {
    const told = fee === null ? undefined : readWord(fee, 0)
    const isFee = told !== undefined && told <= feeMax
    return answered({ ...identity, feePpm: isFee ? Number(told * feeUnitPpm) : null })
  })
}

/**
 * Solidly and its successors Velodrome, Aerodrome and Thena. A pool trades along x * y, or, if
 * stable, along x^3 * y + x * y^3 in whole tokens, whose slope is its price. Fees leave the pool
 * with each trade.
 */
export const solidly: EvmVenue = {
  name: 'solidly',
  kind: 'constantProduct',
  events: {
    // PairCreated(address indexed token0, address indexed token1, bool stable, address pair,
    // uint256)
    '0xc4805696c66d7cf352fc1d6bb633ad5ee82f6cb577c453024b6e0eb8306c6fc9': createdDecoder(3),
    // PoolCreated(address indexed token0, address indexed token1, bool indexed stable, address
    // pool, uint256)
    '0x2128d88d14c80cb081c1252a5acff7a264671bf199ce226b53788fb26065005e': createdDecoder(4),
    [swapTopic]: decodeSwap!,
    // Swap(address indexed sender, address indexed to, uint256 in0, uint256 in1, uint256 out0,
    // uint256 out1)
    '0xb3e2773606abfd36b5bd91394b3a54d1398336c65005baf7bf7a05efeffaf75b': decodeSwap!,
    // Sync(uint256 reserve0, uint256 reserve1)
    '0xcf2aa50876cdfbb541206f89af0ee78d44a2abf8d328e37fa4917f982149848a': decodeSync,
    [mintTopic]: decodeMint!,
    [burnTopic]: decodeBurn!,
    // Burn(address indexed sender, address indexed to, uint256 amount0, uint256 amount1)
    '0x5d624aa9c148153ab3446c1b154f660ee7701e549fe9b62dab7171b1c80e6fa2': decodeBurn!,
  },
  identity: {
    questions: {
      ...pairQuestions,
      getReserves: callPool(selector.getReserves),
      stable: callPool(selector.stable),
      metadata: callPool(selector.metadata),
    },
    marks: ['token0', 'token1', 'getReserves', 'stable', 'metadata'],
    read: (answers, { pool }) => readPool(answers, pool),
    confirm: (pool, { factory }) => [
      { call: { to: factory, data: encodeCall(selector.isPool, pool) }, isYes: isTrue },
      { call: { to: factory, data: encodeCall(selector.isPair, pool) }, isYes: isTrue },
    ],
  },
  priceAfter({ reserve0, reserve1, params: [stable, scale0, scale1] }) {
    if (stable !== 1n || !scale0 || !scale1) return ratioOf(reserve1, reserve0)
    const [x, y] = [(reserve0 * unit) / scale0, (reserve1 * unit) / scale1]
    const numerator = (3n * x * x * y + y ** 3n) * scale1
    return ratioOf(numerator, (x ** 3n + 3n * x * y * y) * scale0)
  },
}

function isTrue(answer: string): boolean {
  return readWord(answer, 0) === 1n
}
