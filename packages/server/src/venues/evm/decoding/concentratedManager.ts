import type { DecodedPool } from '../../../model/decodedBlock.ts'
import type { EvmLog } from '../../../model/evm/evmBlock.ts'
import type { VenueMath } from '../../../model/venueMath.ts'
import { amountsOfLiquidity, priceOf } from '../math/concentratedPrice.ts'
import type { BlockScope, LogDecoder } from './blockScope.ts'
import { dataLength, readInt, readUint } from './hexWords.ts'
import { liquidityEvent, swapEvent } from './poolEvents.ts'

// One contract that keeps all concentrated pools by ids of 32 bytes, as in Uniswap V4 and Pancake
// Infinity. Events pass the price on in `told`: [sqrtPrice].

const idLength = 66
const int128End = 1n << 127n
/** Unit of fees. */
const ppm = 1_000_000n
/** Lower tick, upper tick, and change of liquidity. */
const toldOfLiquidity = 3

/**
 * Amounts are the swapper's: negative was paid in. `words` is the length of the event, and `feeOf`
 * reads the pool's own fee.
 */
export const managedSwapDecoder =
  (words: number, feeOf: (data: string) => bigint): LogDecoder =>
  (log, scope) => {
    if (log.topics.length !== 3 || log.data.length < dataLength(words)) return false
    const sender = scope.addresses.ofTopic(log.topics[2]!)
    const [amount0, amount1] = [-readInt(log.data, 0), -readInt(log.data, 1)]
    const sqrtPrice = readUint(log.data, 2)
    const priceRaw = priceOf(sqrtPrice)
    if (sender === null || priceRaw === null || !isId(log.topics[1]!)) return false
    if (!isInt128(amount0) || !isInt128(amount1)) return false
    const mention = { pool: log.topics[1]!, manager: log.address }
    const told = [sqrtPrice, feeOf(log.data)]
    const trade = { sender, to: sender, amount0, amount1, priceRaw, told }
    scope.push(swapEvent(log, scope, { ...mention, ...trade }))
    return true
  }

/** The event has no amounts: they follow from liquidity, ticks and price. */
export const decodeModifyLiquidity: LogDecoder = (log, scope) => {
  if (log.topics.length !== 3 || log.data.length < dataLength(4)) return false
  const sender = scope.addresses.ofTopic(log.topics[2]!)
  if (sender === null || !isId(log.topics[1]!)) return false
  const [tickLower, tickUpper] = [readInt(log.data, 0), readInt(log.data, 1)]
  const delta = readInt(log.data, 2)
  if (!isInt128(delta) || tickLower >= tickUpper) return false
  // Only collects fees.
  if (delta === 0n) return true
  const kind = delta > 0n ? 'add' : 'remove'
  const moved = { kind, sender, amount0: 0n, amount1: 0n } as const
  scope.push({
    ...liquidityEvent(log, scope, moved),
    pool: log.topics[1]!,
    manager: log.address,
    told: [tickLower, tickUpper, delta],
  })
  return true
}

/** A gift to liquidity providers, which waits for them like fees. */
export const decodeDonate: LogDecoder = (log, scope) => {
  if (log.topics.length !== 3 || log.data.length < dataLength(2)) return false
  const sender = scope.addresses.ofTopic(log.topics[2]!)
  if (sender === null || !isId(log.topics[1]!)) return false
  const [amount0, amount1] = [readUint(log.data, 0), readUint(log.data, 1)]
  if (amount0 === 0n && amount1 === 0n) return true
  const moved = { kind: 'add', sender, amount0, amount1 } as const
  const mention = { pool: log.topics[1]!, manager: log.address }
  scope.push({ ...liquidityEvent(log, scope, moved), ...mention, told: [] })
  return true
}

type Initialized = Pick<DecodedPool, 'feePpm' | 'params'> & {
  priceRaw: number | null
  told: readonly bigint[]
}

/** Pushes a pool and its first price. False if its two currencies are not in order. */
export function pushInitialized(log: EvmLog, scope: BlockScope, terms: Initialized): boolean {
  const { feePpm, params, priceRaw, told } = terms
  const pool = log.topics[1]!
  const token0 = scope.addresses.ofTopic(log.topics[2]!)
  const token1 = scope.addresses.ofTopic(log.topics[3]!)
  if (token0 === null || token1 === null || token0 >= token1 || !isId(pool)) return false
  const origin = {
    index: log.logIndex,
    txHash: log.transactionHash,
    wallet: scope.walletOr(log.address),
    pool,
    venues: scope.venues,
  }
  const kind = 'vault' as const
  const made = { kind, factory: log.address, token0, token1, feePpm, params }
  scope.push({ type: 'pool', ...origin, ...made })
  const state = { reserve0: null, reserve1: null, priceRaw, told }
  scope.push({ type: 'sync', ...origin, manager: log.address, ...state })
  return true
}

/**
 * Computes amounts of liquidity from the price, which liquidity does not change. Fees and gifts do
 * not count as reserves: a sole provider could otherwise count them as often as it likes.
 */
export const concentratedMath: VenueMath = {
  amountsOf(told, { told: [sqrtPrice] }) {
    const [tickLower, tickUpper, delta] = told
    if (sqrtPrice === undefined || delta === undefined) return null
    return amountsOfLiquidity(delta, [tickLower!, tickUpper!], sqrtPrice)
  },
  reserveAmountsOf(amounts, told) {
    if (told.length === toldOfLiquidity) return amounts
    const [sqrtPrice, fee = 0n] = told
    // A gift.
    if (sqrtPrice === undefined) return { amount0: 0n, amount1: 0n }
    const share = fee < ppm ? ppm - fee : 0n
    const kept = (amount: bigint) => (amount > 0n ? (amount * share) / ppm : amount)
    return { amount0: kept(amounts.amount0), amount1: kept(amounts.amount1) }
  },
  toldAfter: (told, before) =>
    told.length === toldOfLiquidity || told.length === 0 ? before : told,
}

export function isId(topic: string): boolean {
  return topic.length === idLength
}

export function isInt128(amount: bigint): boolean {
  return amount >= -int128End && amount < int128End
}
