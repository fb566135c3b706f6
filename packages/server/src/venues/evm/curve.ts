import type { PairRecord } from '../../model/pair.ts'
import type { PoolQuery, PoolStateAnswer } from '../../model/pool.ts'
import { encodeCall, readAddressWord, readWord, selector } from './asking/callWords.ts'
import {
  answered,
  askAll,
  callPool,
  type Inquiry,
  type ViewAnswer,
  type ViewCall,
} from './asking/inquiry.ts'
import type { LogDecoder, LogDecoders } from './decoding/blockScope.ts'
import { dataLength, findWordList, readAddress, readUint } from './decoding/hexWords.ts'
import { liquidityEvent, swapEvent } from './decoding/poolEvents.ts'
import { isPaidInShares } from './decoding/transactionFacts.ts'
import type { EvmVenue, PoolIdentity, VenueIdentity } from './venue.ts'

/** The most coins that a pool has. */
const coinsMax = 8
const places = Array.from({ length: coinsMax }, (_, at) => at)
/** Curve's address for the native coin, which is the zero address here. */
const curveNative = `0x${'e'.repeat(40)}`
const native = `0x${'0'.repeat(40)}`
// Fees are in units of 1e-10.
const feeUnitsPerPpm = 10_000n

/** Words of an exchange event: numbers of two coins, and their amounts. */
type ExchangeShape = {
  soldAt: number
  sold: number
  boughtAt: number
  bought: number
  /** The numbers are of underlying coins. */
  isUnderlying?: true
}

/** The coin of a metapool that is the share token of its base pool. */
const sharesAt = 1n
const ofOwnCoins = ['curve'] as const

function exchangeDecoder(shape: ExchangeShape): LogDecoder {
  return (log, scope) => {
    if (log.topics.length !== 2 || log.data.length < dataLength(4)) return false
    const buyer = scope.addresses.ofTopic(log.topics[1]!)
    let soldAt = readUint(log.data, shape.soldAt)
    const boughtAt = readUint(log.data, shape.boughtAt)
    if (buyer === null || soldAt === boughtAt) return false
    if (soldAt >= BigInt(coinsMax) || boughtAt >= BigInt(coinsMax)) return false
    const [sold, bought] = [readUint(log.data, shape.sold), -readUint(log.data, shape.bought)]
    // Some metapools name the deposited coin beside the amount of shares it became. Only the trade
    // of the shares is fully known: an exchange of the pool's own coins.
    if (shape.isUnderlying && boughtAt === 0n && isPaidInShares(scope, log.address, sold)) {
      soldAt = sharesAt
      scope.venues = ofOwnCoins
    }
    const isFirst = soldAt < boughtAt
    const couple = (isFirst ? [soldAt, boughtAt] : [boughtAt, soldAt]).map(
      (at) => `0x${at.toString(16)}`,
    ) as [string, string]
    const [amount0, amount1] = isFirst ? [sold, bought] : [bought, sold]
    scope.push(swapEvent(log, scope, { sender: buyer, to: buyer, couple, amount0, amount1 }))
    return true
  }
}

const exchangeShape = { soldAt: 0, sold: 1, boughtAt: 2, bought: 3 }
const decodeExchange = exchangeDecoder(exchangeShape)

/**
 * Amounts added to or removed from a pool, one word per coin. Only pools of two coins are decoded:
 * with more, every couple would count the same event again. `words` is the minimum length of the
 * event; null if the coins are a list.
 */
function liquidityDecoder(kind: 'add' | 'remove', words: number | null): LogDecoder {
  return (log, scope) => {
    if (log.topics.length !== 2 || log.data.length < dataLength(words ?? 1)) return false
    const sender = scope.addresses.ofTopic(log.topics[1]!)
    const coins = words === null ? findWordList(log.data, 0) : { first: 0, count: 2 }
    if (sender === null || coins === null) return false
    if (coins.count !== 2) return true
    const amount0 = readUint(log.data, coins.first)
    const amount1 = readUint(log.data, coins.first + 1)
    scope.push(liquidityEvent(log, scope, { kind, sender, amount0, amount1 }))
    return true
  }
}

/** A withdrawal of one coin does not name the coin, so it is not decoded. */
const liquidityEvents: LogDecoders = {
  // AddLiquidity(address indexed provider, uint256[2] token_amounts, uint256[2] fees, uint256
  // invariant, uint256 token_supply)
  '0x26f55a85081d24974e85c6c00045d0f0453991e95873f52bff0d21af4079a768': liquidityDecoder('add', 6),
  // AddLiquidity(address indexed provider, uint256[] token_amounts, uint256[] fees, uint256
  // invariant, uint256 token_supply)
  '0x189c623b666b1b45b83d7178f39b8c087cb09774317ca2f53c2d3c3726f222a2': liquidityDecoder(
    'add',
    null,
  ),
  // AddLiquidity(address indexed provider, uint256[2] token_amounts, uint256 fee, uint256
  // token_supply), and with a word behind
  '0x540ab385f9b5d450a27404172caade516b3ba3f4be88239ac56a2ad1de2a1f5a': liquidityDecoder('add', 4),
  '0x7196cbf63df1f2ec20638e683ebe51d18260be510592ee1e2efe3f3cfd4c33e9': liquidityDecoder('add', 5),
  // RemoveLiquidity(address indexed provider, uint256[2] token_amounts, uint256[2] fees, uint256
  // token_supply)
  '0x7c363854ccf79623411f8995b362bce5eddff18c927edc6f5dbbb5e05819a82c': liquidityDecoder(
    'remove',
    5,
  ),
  // RemoveLiquidity(address indexed provider, uint256[] token_amounts, uint256[] fees, uint256
  // token_supply)
  '0x347ad828e58cbe534d8f6b67985d791360756b18f0d95fd9f197a66cc46480ea': liquidityDecoder(
    'remove',
    null,
  ),
  // RemoveLiquidity(address indexed provider, uint256[2] token_amounts, uint256 token_supply)
  '0xdd3c0336a16f1b64f172b7bb0dad5b2b3c7c76f91e8c4aafd6aae60dce800153': liquidityDecoder(
    'remove',
    3,
  ),
  // RemoveLiquidityImbalance(address indexed provider, uint256[2] token_amounts, uint256[2] fees,
  // uint256 invariant, uint256 token_supply), and of lists
  '0x2b5508378d7e19e0d5fa338419034731416c4f5b219a10379956f764317fd47e': liquidityDecoder(
    'remove',
    6,
  ),
  '0x3631c28b1f9dd213e0319fb167b554d76b6c283a41143eb400a0d1adb1af1755': liquidityDecoder(
    'remove',
    null,
  ),
}

const decodeTwocryptoDeployed: LogDecoder = (log, scope) => {
  if (log.topics.length !== 1 || log.data.length < dataLength(6)) return false
  const pool = readAddress(log.data, 0)
  const [token0, token1] = [readAddress(log.data, 3), readAddress(log.data, 4)]
  if (pool === null || !token0 || !token1 || token0 === token1) return false
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
    feePpm: null,
    venues: scope.venues,
    params: [0n, 1n],
  })
  return true
}

type Questions = VenueIdentity['questions']

/**
 * A list that a pool returns item by item, under two signatures: older pools take signed indexes.
 */
function listQuestions(name: string, newer: string, older: string): Questions {
  const ask = (data: string, at: number) => callPool(encodeCall(data, at))
  return Object.fromEntries(
    places.flatMap((at) => [
      [`${name}${at}`, ask(newer, at)],
      [`${name}Old${at}`, ask(older, at)],
    ]),
  )
}

function readList(answers: Readonly<Record<string, ViewAnswer>>, name: string): string[] {
  const list: string[] = []
  for (const at of places) {
    const answer = answers[`${name}${at}`] ?? answers[`${name}Old${at}`] ?? '0x'
    const token = readAddressWord(answer, 0)
    if (token === undefined) break
    list.push(token === curveNative ? native : token)
  }
  return list
}

/** The traded couple in a pool with these coins. */
function coupleIn(
  coins: readonly string[],
  { couple = ['0x0', '0x1'] }: PoolQuery,
  fee: ViewAnswer | undefined,
): PoolIdentity | null {
  const [at0, at1] = couple.map(Number) as [number, number]
  const [token0, token1] = [coins[at0], coins[at1]]
  if (!token0 || !token1 || token0 === token1) return null
  const rest = places.filter((at) => at < coins.length && at !== at0 && at !== at1)
  const told = readWord(fee ?? '0x', 0)
  const feePpm = told !== undefined ? Number(told / feeUnitsPerPpm) : null
  const ends = { token0, token1, factory: '', others: rest.map((at) => coins[at]!) }
  return { ...ends, feePpm, params: [at0, at1, ...rest].map(BigInt) }
}

/** A factory or registry that knows the pool returns its coins. */
const confirm: NonNullable<VenueIdentity['confirm']> = (pool, { factory, token0, token1 }) => [
  {
    call: { to: factory, data: encodeCall(selector.getCoins, pool) },
    isYes: (answer) =>
      [token0, token1].every((token) =>
        answer.toLowerCase().includes((token === native ? curveNative : token).slice(2)),
      ),
  },
]

/** The reserves that the pool counts as its own; its balances may include fees of its owner. */
function readBalances({ address, pool, params }: PairRecord): Inquiry<PoolStateAnswer> {
  const to = pool ?? address
  const calls: Record<string, ViewCall> = {}
  for (const place of params) {
    calls[`coin${place}`] = { to, data: encodeCall(selector.coins, Number(place)) }
    calls[`new${place}`] = { to, data: encodeCall(selector.balances, Number(place)) }
    calls[`old${place}`] = { to, data: encodeCall(selector.balancesOld, Number(place)) }
  }
  return askAll(calls, (answers) => {
    const isNative = params.some(
      (place) => readAddressWord(answers[`coin${place}`] ?? '0x', 0) === curveNative,
    )
    // The native coin moves without a transfer, so a balance read once would soon be wrong.
    const [reserve0, reserve1, ...reserveOthers] = params.map((place) => {
      const answer = answers[`new${place}`] ?? answers[`old${place}`] ?? '0x'
      return isNative ? null : (readWord(answer, 0) ?? null)
    }) as [bigint | null, bigint | null, ...bigint[]]
    const isWhole = reserveOthers.every((reserve) => reserve !== null)
    return answered({
      reserve0,
      reserve1,
      priceRaw: null,
      reserveOthers: isWhole ? reserveOthers : null,
    })
  })
}

/**
 * Curve: stable, meta, crypto and newer pools. A pool has two or more coins, which events name by
 * number.
 */
export const curve: EvmVenue = {
  name: 'curve',
  kind: 'concentrated',
  events: {
    // TokenExchange(address indexed buyer, int128 sold_id, uint256 tokens_sold, int128 bought_id,
    // uint256 tokens_bought)
    '0x8b3e96f2b889fa771c53c981b40daf005f63f637f1869f707052d15a3dd97140': decodeExchange,
    // TokenExchange(address indexed buyer, uint256 sold_id, uint256 tokens_sold, uint256 bought_id,
    // uint256 tokens_bought)
    '0xb2e76ae99761dc136e598d4a629bb347eccb9532a5f8bbd72e18467c3c34cc98': decodeExchange,
    // TokenExchange(address indexed buyer, uint256 sold_id, uint256 tokens_sold, uint256 bought_id,
    // uint256 tokens_bought, uint256 fee, uint256 packed_price_scale)
    '0x143f1f8e861fbdeddd5b46e844b7d3ac7b86a122f36e8c463859ee6811b1f29c': decodeExchange,
    // TwocryptoPoolDeployed(address pool, string name, string symbol, address[2] coins, address
    // math, bytes32 salt, uint256[2] precisions, uint256, uint256, uint256, uint256, address
    // deployer)
    '0x8152a3037e3dc54154ad0d2cadb1cf7e1d1b9e2b625faa3dfb4fe03d609102ca': decodeTwocryptoDeployed,
    ...liquidityEvents,
  },
  identity: {
    questions: {
      ...listQuestions('coins', selector.coins, selector.coinsOld),
      fee: callPool(selector.fee),
    },
    // Older pools answer under another name; no other venue has these events.
    marks: [],
    read: (answers, query) => answered(coupleIn(readList(answers, 'coins'), query, answers.fee)),
    confirm,
  },
  readState: readBalances,
}

/**
 * Trades of the underlying coins of a Curve pool: a coin inside the base pool, or the one a lending
 * token is redeemed for. They are pairs of their own.
 */
export const curveUnderlying: EvmVenue = {
  name: 'curveUnderlying',
  kind: 'concentrated',
  events: {
    // TokenExchangeUnderlying(address indexed buyer, int128 sold_id, uint256 tokens_sold, int128
    // bought_id, uint256 tokens_bought)
    '0xd013ca23e77a65003c2c659c5442c00c805371b7fc1ebd4c206c41d1536bd90b': exchangeDecoder({
      ...exchangeShape,
      isUnderlying: true,
    }),
  },
  identity: {
    questions: {
      ...listQuestions('underlying', selector.underlyingCoins, selector.underlyingCoinsOld),
      ...listQuestions('coins', selector.coins, selector.coinsOld),
      basePool: callPool(selector.basePool),
      basePoolConstant: callPool(selector.basePoolConstant),
      fee: callPool(selector.fee),
    },
    marks: [],
    read(answers, query) {
      const ofPair = (coins: readonly string[]) => {
        const identity = coupleIn(coins, query, answers.fee)
        // With two coins only, the underlying pair would have the pool's own address, which the
        // pair of the coins has.
        return identity?.others.length ? identity : null
      }
      const underlying = readList(answers, 'underlying')
      if (underlying.length > 0) return answered(ofPair(underlying))
      const base = answers.basePool ?? answers.basePoolConstant ?? '0x'
      const to = readAddressWord(base, 0)
      const [own] = readList(answers, 'coins')
      if (to === undefined || own === undefined) return answered(null)
      const questions = listQuestions('coins', selector.coins, selector.coinsOld)
      const calls = Object.entries(questions).map(([name, ask]) => [
        name,
        ask({ key: to, pool: to }),
      ])
      return askAll(Object.fromEntries(calls) as Record<string, ViewCall>, (told) =>
        answered(ofPair([own, ...readList(told, 'coins')])),
      )
    },
    confirm: () => [],
  },
}

/** Saddle and its forks, such as Synapse: pools like Curve's without a registry. */
export const saddle: EvmVenue = {
  name: 'saddle',
  kind: 'concentrated',
  events: {
    // TokenSwap(address indexed buyer, uint256 tokensSold, uint256 tokensBought, uint128 soldId,
    // uint128 boughtId)
    '0xc6c1e0630dbe9130cc068028486c0d118ddcea348550819defd5cb8c257f8a38': exchangeDecoder({
      soldAt: 2,
      sold: 0,
      boughtAt: 3,
      bought: 1,
    }),
  },
}
