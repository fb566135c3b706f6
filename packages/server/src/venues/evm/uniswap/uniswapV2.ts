import type { DecodedSwap } from '../../../model/decodedBlock.ts'
import type { EvmLog } from '../../../model/evm/evmBlock.ts'
import { encodeCall, readAddressWord, selector, wordCount } from '../asking/callWords.ts'
import {
  answered,
  callPool,
  pairQuestions,
  readPairAnswers,
  type ViewAnswer,
} from '../asking/inquiry.ts'
import type { BlockScope, LogDecoder } from '../decoding/blockScope.ts'
import { dataLength, readAddress, readUint } from '../decoding/hexWords.ts'
import { liquidityEvent, ratioOf } from '../decoding/poolEvents.ts'
import type { EvmVenue, PoolIdentity } from '../venue.ts'

const uint112End = 1n << 112n

const decodePairCreated: LogDecoder = (log, scope) => {
  if (log.topics.length !== 3 || log.data.length < dataLength(2)) return false
  const token0 = scope.addresses.ofTopic(log.topics[1]!)
  const token1 = scope.addresses.ofTopic(log.topics[2]!)
  const pool = readAddress(log.data, 0)
  if (token0 === null || token1 === null || pool === null) return false
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
    // The fee is the factory's; a pair does not have one.
    feePpm: null,
    venues: scope.venues,
  })
  return true
}

const decodeSwap: LogDecoder = (log, scope) => {
  if (log.topics.length !== 3 || log.data.length < dataLength(4)) return false
  const sender = scope.addresses.ofTopic(log.topics[1]!)
  const to = scope.addresses.ofTopic(log.topics[2]!)
  if (sender === null || to === null) return false
  const { data } = log
  // Both amounts of a side may be non-zero: reflection tokens pay the pair inside its own payout.
  const in0 = readUint(data, 0)
  const in1 = readUint(data, 1)
  const out0 = readUint(data, 2)
  const out1 = readUint(data, 3)
  const amount0 = in0 - out0
  const amount1 = in1 - out1
  const swap: DecodedSwap = {
    type: 'swap',
    index: log.logIndex,
    txHash: log.transactionHash,
    wallet: scope.walletOr(sender),
    pool: log.address,
    sender,
    to,
    amount0,
    amount1,
    reserve0: null,
    reserve1: null,
    priceRaw: null,
    venues: scope.venues,
  }
  if ((in0 > 0n && out0 > 0n) || (in1 > 0n && out1 > 0n)) {
    // A payment in both tokens buys the one that comes out.
    const isOneBought = out0 > 0n !== out1 > 0n && (out0 > 0n ? in1 : in0) > 0n
    const isFirstSold = isOneBought ? out1 > 0n : amount0 > amount1
    const [sold, bought] = isFirstSold ? [in0, out1] : [in1, out0]
    swap.gross = { isFirstSold, sold, bought }
  }
  scope.pushWithSync(swap)
  return true
}

const decodeSync: LogDecoder = (log, scope) => {
  if (log.topics.length !== 1 || log.data.length < dataLength(2)) return false
  const reserve0 = readUint(log.data, 0)
  const reserve1 = readUint(log.data, 1)
  if (reserve0 >= uint112End || reserve1 >= uint112End) return false
  scope.pushSync({
    type: 'sync',
    index: log.logIndex,
    txHash: log.transactionHash,
    wallet: scope.walletOr(log.address),
    pool: log.address,
    reserve0,
    reserve1,
    priceRaw: ratioOf(reserve1, reserve0),
    venues: scope.venues,
  })
  return true
}

const decodeMint: LogDecoder = (log, scope) => {
  if (log.topics.length !== 2 || log.data.length < dataLength(2)) return false
  return pushLiquidity(log, scope, 'add')
}

const decodeBurn: LogDecoder = (log, scope) => {
  if (log.topics.length !== 3 || log.data.length < dataLength(2)) return false
  return pushLiquidity(log, scope, 'remove')
}

function pushLiquidity(log: EvmLog, scope: BlockScope, kind: 'add' | 'remove'): boolean {
  const sender = scope.addresses.ofTopic(log.topics[1]!)
  if (sender === null) return false
  const amount0 = readUint(log.data, 0)
  const amount1 = readUint(log.data, 1)
  scope.pushWithSync(liquidityEvent(log, scope, { kind, sender, amount0, amount1 }))
  return true
}

function readPair(answers: Readonly<Record<string, ViewAnswer>>): PoolIdentity | null {
  const ends = readPairAnswers(answers)
  if (ends === null || wordCount(answers.getReserves ?? '0x') < 2) return null
  return { ...ends, others: [], feePpm: null, params: [] }
}

/**
 * Uniswap V2 and its forks. All their factories emit PairCreated; the config names the trusted
 * ones.
 */
export const uniswapV2: EvmVenue = {
  name: 'uniswapV2',
  kind: 'constantProduct',
  events: {
    // PairCreated(address indexed token0, address indexed token1, address pair, uint256)
    '0x0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9': decodePairCreated,
    // Swap(address indexed sender, uint256 in0, uint256 in1, uint256 out0, uint256 out1, address
    // indexed to)
    '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822': decodeSwap,
    // Sync(uint112 reserve0, uint112 reserve1)
    '0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1': decodeSync,
    // Mint(address indexed sender, uint256 amount0, uint256 amount1)
    '0x4c209b5fc8ad50758f13e2e1088ba56a560dff690a1c6fef26394f4c03821c4f': decodeMint,
    // Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed to)
    '0xdccd412f0b1252819cb1fd330b93224ca42612892bb3f4f789976e6d81936496': decodeBurn,
  },
  identity: {
    questions: { ...pairQuestions, getReserves: callPool(selector.getReserves) },
    marks: ['token0', 'token1', 'factory', 'getReserves'],
    read: (answers) => answered(readPair(answers)),
    confirm: (pool, { factory, token0, token1 }) => [
      {
        call: { to: factory, data: encodeCall(selector.getPair, token0, token1) },
        isYes: (answer) => readAddressWord(answer, 0) === pool,
      },
    ],
  },
}
