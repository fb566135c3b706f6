import type { EvmLog } from '../../../model/evm/evmBlock.ts'
import type { PairRecord } from '../../../model/pair.ts'
import type { PoolStateAnswer } from '../../../model/pool.ts'
import { encodeCall, readAddressWord, readWord, selector, wordCount } from '../asking/callWords.ts'
import {
  answered,
  askAll,
  callPool,
  type Inquiry,
  pairQuestions,
  readPairAnswers,
  type ViewAnswer,
} from '../asking/inquiry.ts'
import type { BlockScope, LogDecoder } from '../decoding/blockScope.ts'
import { dataLength, readAddress, readInt, readUint, readUintTopic } from '../decoding/hexWords.ts'
import { liquidityEvent } from '../decoding/poolEvents.ts'
import { priceOf } from '../math/concentratedPrice.ts'
import type { EvmVenue, PoolIdentity } from '../venue.ts'

const uint24Max = (1n << 24n) - 1n
const uint128End = 1n << 128n

const decodePoolCreated: LogDecoder = (log, scope) => {
  if (log.topics.length !== 4 || log.data.length < dataLength(2)) return false
  const token0 = scope.addresses.ofTopic(log.topics[1]!)
  const token1 = scope.addresses.ofTopic(log.topics[2]!)
  const fee = readUintTopic(log.topics[3]!)
  const pool = readAddress(log.data, 1)
  if (token0 === null || token1 === null || pool === null) return false
  if (fee === null || fee > uint24Max) return false
  scope.push({
    type: 'pool',
    index: log.logIndex,
    txHash: log.transactionHash,
    wallet: scope.walletOr(log.address),
    kind: 'concentrated',
    factory: log.address,
    pool,
    token0,
    token1,
    feePpm: Number(fee),
    venues: scope.venues,
  })
  return true
}

const decodeInitialize: LogDecoder = (log, scope) => {
  if (log.topics.length !== 1 || log.data.length < dataLength(2)) return false
  const priceRaw = priceOf(readUint(log.data, 0))
  if (priceRaw === null) return false
  pushSync(log, scope, priceRaw)
  return true
}

const decodeSwap: LogDecoder = (log, scope) => {
  if (log.topics.length !== 3 || log.data.length < dataLength(5)) return false
  const sender = scope.addresses.ofTopic(log.topics[1]!)
  const to = scope.addresses.ofTopic(log.topics[2]!)
  if (sender === null || to === null) return false
  const { data } = log
  const amount0 = readInt(data, 0)
  const amount1 = readInt(data, 1)
  const priceRaw = priceOf(readUint(data, 2))
  if (priceRaw === null) return false
  scope.push({
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
    priceRaw,
    venues: scope.venues,
  })
  return true
}

const decodeMint: LogDecoder = (log, scope) => {
  if (log.topics.length !== 4 || log.data.length < dataLength(4)) return false
  const sender = readAddress(log.data, 0)
  if (sender === null) return false
  pushLiquidity(log, scope, 'add', sender, readUint(log.data, 2), readUint(log.data, 3))
  return true
}

const decodeBurn: LogDecoder = (log, scope) => {
  if (log.topics.length !== 4 || log.data.length < dataLength(3)) return false
  const owner = scope.addresses.ofTopic(log.topics[1]!)
  if (owner === null) return false
  const amount0 = readUint(log.data, 1)
  const amount1 = readUint(log.data, 2)
  // A position burns zero to have its fees counted.
  if (amount0 === 0n && amount1 === 0n) return true
  scope.addBurnt(positionOf(log), amount0, amount1)
  pushLiquidity(log, scope, 'remove', owner, amount0, amount1)
  return true
}

const decodeCollect: LogDecoder = (log, scope) => {
  if (log.topics.length !== 4 || log.data.length < dataLength(3)) return false
  const owner = scope.addresses.ofTopic(log.topics[1]!)
  if (owner === null) return false
  const collected0 = readUint(log.data, 1)
  const collected1 = readUint(log.data, 2)
  if (collected0 >= uint128End || collected1 >= uint128End) return false
  // A burn moves nothing out of the pool, the later collect does. The burnt amounts already count
  // as removed.
  const { amount0, amount1 } = scope.takeBurnt(positionOf(log), collected0, collected1)
  if (amount0 === 0n && amount1 === 0n) pushSync(log, scope, null)
  else pushLiquidity(log, scope, 'collect', owner, amount0, amount1)
  return true
}

const decodeCollectProtocol: LogDecoder = (log, scope) => {
  if (log.topics.length !== 3 || log.data.length < dataLength(2)) return false
  pushSync(log, scope, null)
  return true
}

const decodeFlash: LogDecoder = (log, scope) => {
  if (log.topics.length !== 3 || log.data.length < dataLength(4)) return false
  pushSync(log, scope, null)
  return true
}

function pushSync(log: EvmLog, scope: BlockScope, priceRaw: number | null): void {
  scope.push({
    type: 'sync',
    index: log.logIndex,
    txHash: log.transactionHash,
    wallet: scope.walletOr(log.address),
    pool: log.address,
    reserve0: null,
    reserve1: null,
    priceRaw,
    venues: scope.venues,
  })
}

function pushLiquidity(
  log: EvmLog,
  scope: BlockScope,
  kind: 'add' | 'remove' | 'collect',
  sender: string,
  amount0: bigint,
  amount1: bigint,
): void {
  scope.push(liquidityEvent(log, scope, { kind, sender, amount0, amount1 }))
}

/** A position is its pool, owner and ticks; the raw topics serve as its key. */
function positionOf({ address, topics }: EvmLog): string {
  return `${address}${topics[1]}${topics[2]}${topics[3]}`
}

function readPool(answers: Readonly<Record<string, ViewAnswer>>): PoolIdentity | null {
  const ends = readPairAnswers(answers)
  if (ends === null || wordCount(answers.slot0 ?? '0x') < 2) return null
  const fee = typeof answers.fee === 'string' ? readWord(answers.fee, 0) : undefined
  const feePpm = fee !== undefined && fee <= uint24Max ? Number(fee) : null
  return { ...ends, others: [], feePpm, params: [] }
}

/**
 * Reads price and balances. The pool's tokens come first, since a record has them by id.
 * `priceView` is the view whose first word is the square root of the price.
 */
export function readConcentrated(
  { address }: PairRecord,
  priceView: string,
): Inquiry<PoolStateAnswer> {
  const at = (data: string) => ({ to: address, data })
  const ends = { token0: at(selector.token0), token1: at(selector.token1) }
  return askAll({ ...ends, price: at(priceView) }, ({ token0, token1, price }) => {
    const root = price === null ? undefined : readWord(price, 0)
    const priceRaw = root === undefined ? null : priceOf(root)
    const tokens = [token0, token1].map((word) => word && readAddressWord(word, 0))
    const data = encodeCall(selector.balanceOf, address)
    return {
      calls: tokens.flatMap((to) => (to ? { to, data } : [])),
      next(answers) {
        const left = [...answers]
        const [reserve0, reserve1] = tokens.map((token) => {
          const answer = token ? left.shift() : null
          return answer ? (readWord(answer, 0) ?? null) : null
        })
        return answered({ reserve0: reserve0!, reserve1: reserve1!, priceRaw })
      },
    }
  })
}

/**
 * Uniswap V3 and forks that kept all its events and views, such as Sushi V3. Amounts are already
 * the pool's.
 */
export const uniswapV3: EvmVenue = {
  name: 'uniswapV3',
  kind: 'concentrated',
  events: {
    // PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24
    // tickSpacing, address pool)
    '0x783cca1c0412dd0d695e784568c96da2e9c22ff989357a2e8b1d9b2b4e6b7118': decodePoolCreated,
    // Initialize(uint160 sqrtPriceX96, int24 tick)
    '0x98636036cb66a9c19a37435efc1e90142190214e8abeb821bdba3f2990dd4c95': decodeInitialize,
    // Swap(address indexed sender, address indexed to, int256 amount0, int256 amount1, uint160
    // sqrtPriceX96, uint128 liquidity, int24 tick)
    '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67': decodeSwap,
    // Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper,
    // uint128 amount, uint256 amount0, uint256 amount1)
    '0x7a53080ba414158be7ec69b987b5fb7d07dee101fe85488f0853ae16239d0bde': decodeMint,
    // Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount,
    // uint256 amount0, uint256 amount1)
    '0x0c396cd989a39f4459b5fa1aed6a9a8dcdbc45908acfd67e028cd568da98982c': decodeBurn,
    // Collect(address indexed owner, address recipient, int24 indexed tickLower, int24 indexed
    // tickUpper, uint128 amount0, uint128 amount1)
    '0x70935338e69775456a85ddef226c395fb668b63fa0115f5f20610b388e6ca9c0': decodeCollect,
    // CollectProtocol(address indexed sender, address indexed recipient, uint128 amount0, uint128
    // amount1)
    '0x596b573906218d3411850b26a6b437d6c4522fdb43d2d2386263f86d50b8b151': decodeCollectProtocol,
    // Flash(address indexed sender, address indexed recipient, uint256 amount0, uint256 amount1,
    // uint256 paid0, uint256 paid1)
    '0xbdbdb71d7860376ba52b25a5028beea23581364a40522f6bcfb86bb1f2dca633': decodeFlash,
  },
  identity: {
    questions: { ...pairQuestions, fee: callPool(selector.fee), slot0: callPool(selector.slot0) },
    marks: ['token0', 'token1', 'factory', 'slot0'],
    read: (answers) => answered(readPool(answers)),
    confirm: (pool, { factory, token0, token1, feePpm }) =>
      feePpm === null
        ? []
        : [
            {
              call: { to: factory, data: encodeCall(selector.getPool, token0, token1, feePpm) },
              isYes: (answer) => readAddressWord(answer, 0) === pool,
            },
          ],
  },
  readState: (pair) => readConcentrated(pair, selector.slot0),
}
