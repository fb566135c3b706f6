import { ChainInconsistentError } from './errors.ts'
import { createBalances } from './evm/balances.ts'
import type { Chain } from './evm/readChain.ts'
import type { MarketProfile } from './marketProfile.ts'
import { nativeUsdOf } from './nativeUsd.ts'
import { createPools, type Pool } from './pools.ts'
import type { Rational } from './rational.ts'
import { quoteRatesOf, type Trade, targetSideOf, valueTrade } from './valueTrade.ts'

/** What a pool held and cost after a block that changed it. */
export type PoolPoint = {
  blockNumber: number
  reserve0: bigint
  reserve1: bigint
  price: Rational | null
}

export type RecomputedPair = Pool & {
  targetSide: 0 | 1
  quoteDecimals: number
  /** False when its quote token is no stablecoin and not the native one: prices are not recomputed. */
  isCovered: boolean
  timeline: PoolPoint[]
  trades: Trade[]
}

export type RecomputedToken = {
  address: string
  decimals: number
  supply: bigint
  /** Of the supply, what does not circulate. */
  parts: { burnt: bigint; locked: bigint; other: bigint }
  /** Those that hold something. */
  holders: ReadonlyMap<string, bigint>
  /** Those that ever did, too. */
  wallets: ReadonlyMap<string, bigint>
  /** Seen from its first unit on. Else only what the wallets have is known. */
  isWhole: boolean
}

/** The whole market of a chain, from its logs alone. */
export type Recomputed = {
  head: { number: number; hash: string; timeS: number }
  pairs: ReadonlyMap<string, RecomputedPair>
  /** Tokens of pools. */
  tokens: ReadonlyMap<string, RecomputedToken>
  /** After each block. */
  nativeUsd: readonly (Rational | null)[]
  /** Of each block. */
  timesS: readonly number[]
  quotes: readonly string[]
  /** Where what can be compared begins; null: with the first block that is stored. */
  since: { number: number } | null
}

export function recompute(chain: Chain, profile: MarketProfile): Recomputed {
  const decimalsOf = (token: string) => chain.decimals.get(token) ?? 0
  const balances = createBalances(profile.native.wrappedToken)
  const pools = createPools(profile, balances)
  const pairs = new Map<string, RecomputedPair>()
  const nativeUsd: (Rational | null)[] = []
  for (const { number: blockNumber, timeS, logs } of chain.blocks) {
    for (const log of logs) {
      balances.take(log)
      const swap = pools.take(log, blockNumber)
      if (!swap) continue
      const { logIndex, txHash, sender: wallet } = log
      const origin = { blockNumber, timeS, logIndex, txHash, wallet }
      const rate = nativeUsd.at(-1) ?? null
      const trade = valueTrade({ swap, origin, balances, profile, nativeUsd: rate, decimalsOf })
      pairOf(pairs, swap.pool, profile, decimalsOf).trades.push(trade)
    }
    pools.settle()
    for (const pool of pools.all())
      keepPoint(pairOf(pairs, pool, profile, decimalsOf), pool, blockNumber)
    nativeUsd.push(nativeUsdOf(pools.all(), profile, decimalsOf))
  }
  const head = chain.blocks.at(-1)
  if (!head) throw new ChainInconsistentError('The chain has no block.')
  const tokens = new Map<string, RecomputedToken>()
  for (const { token0, token1 } of pairs.values())
    for (const address of [token0, token1])
      tokens.set(address, {
        address,
        decimals: decimalsOf(address),
        supply: balances.supplyOf(address),
        parts: partsOf(balances.walletsOf(address), profile),
        wallets: balances.walletsOf(address),
        holders: new Map([...balances.walletsOf(address)].filter(([, amount]) => amount > 0n)),
        isWhole: true,
      })
  const { number, hash, timeS } = head
  const timesS = chain.blocks.map((block) => block.timeS)
  const market = { head: { number, hash, timeS }, pairs, tokens, nativeUsd, timesS, since: null }
  return { ...market, quotes: profile.quotes }
}

export function partsOf(
  wallets: ReadonlyMap<string, bigint>,
  { burnAddresses, lockers, outOfCirculation }: MarketProfile,
): RecomputedToken['parts'] {
  const sumOf = (addresses: readonly string[]) =>
    addresses.reduce((sum, address) => sum + (wallets.get(address) ?? 0n), 0n)
  return { burnt: sumOf(burnAddresses), locked: sumOf(lockers), other: sumOf(outOfCirculation) }
}

export function pairOf(
  pairs: Map<string, RecomputedPair>,
  pool: Pool,
  profile: MarketProfile,
  decimalsOf: (token: string) => number,
): RecomputedPair {
  let pair = pairs.get(pool.address)
  if (!pair) {
    const targetSide = targetSideOf(pool, profile.quotes)
    const quote = targetSide === 0 ? pool.token1 : pool.token0
    const isCovered = quoteRatesOf(quote, profile, { num: 1n, den: 1n }).usd !== null
    const quoteDecimals = decimalsOf(quote)
    pair = { ...pool, targetSide, quoteDecimals, isCovered, timeline: [], trades: [] }
    pairs.set(pool.address, pair)
  }
  return pair
}

export function keepPoint(pair: RecomputedPair, pool: Pool, blockNumber: number): void {
  const { reserve0, reserve1, price, sqrtPriceX96, graduation } = pool
  const isSame =
    pair.timeline.length > 0 &&
    pair.reserve0 === reserve0 &&
    pair.reserve1 === reserve1 &&
    pair.price === price
  Object.assign(pair, { reserve0, reserve1, price, sqrtPriceX96, graduation })
  if (!isSame) pair.timeline.push({ blockNumber, reserve0, reserve1, price })
}
