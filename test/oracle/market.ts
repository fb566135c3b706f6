import type { Range, Rational } from './rational.ts'

/** Facts about a chain that are configured, not computed. */
export type MarketProfile = {
  native: { decimals: number; wrappedToken: string }
  /** Tokens worth 1 USD by definition. */
  stables: readonly string[]
  /** Quote assets, most preferred first. */
  quotes: readonly string[]
  venues: readonly { address: string; venue: string }[]
  launchPlatforms: readonly { address: string }[]
  /** Holders of burnt, locked and otherwise not circulating tokens. No address is in two lists. */
  burnAddresses: readonly string[]
  lockers: readonly string[]
  outOfCirculation: readonly string[]
  /** A pool with less USD liquidity than this does not price the native token. */
  nativePoolUsdMin: number
}

export type PoolKind = 'v2' | 'v3' | 'curve'

/** A pool after its last event. Prices are raw token1 per raw token0, null before the first. */
export type Pool = {
  address: string
  kind: PoolKind
  token0: string
  token1: string
  /** The factory, program or launch platform that created the pool. */
  factory: string
  reserve0: bigint
  reserve1: bigint
  price: Rational | null
  sqrtPriceX96: bigint
  createdBlock: number
  /** The pair that takes over when the curve is complete. */
  graduation: { pair: string; blockNumber: number; logIndex: number } | null
}

export type OpenedPool = Pick<Pool, 'address' | 'kind' | 'token0' | 'token1' | 'factory'>

/** A pool before its first event. */
export function newPool(opened: OpenedPool, createdBlock: number): Pool {
  const state = { reserve0: 0n, reserve1: 0n, price: null, sqrtPriceX96: 0n, graduation: null }
  return { ...opened, ...state, createdBlock }
}

/** Amounts as the pool sees them: positive came in, negative went out. */
export type Swap = { pool: Pool; amount0: bigint; amount1: bigint }

/** Balances of every token by wallet. */
export type Holdings = {
  balanceOf(token: string, wallet: string): bigint
  /** Every wallet that ever held the token, with 0 for those that sold all. */
  walletsOf(token: string): ReadonlyMap<string, bigint>
  /** Minted less burnt. */
  supplyOf(token: string): bigint
  /**
   * False when the token existed before the first block: only its wallets' balances are known then.
   */
  isWhole(token: string): boolean
}

/** One valued swap. Prices are null while the pool's quote token has no rate. */
export type Trade = {
  blockNumber: number
  timeS: number
  logIndex: number
  txHash: string
  wallet: string
  amount0: bigint
  amount1: bigint
  /** Reserves of the pool right after the swap. */
  reserve0: bigint
  reserve1: bigint
  /** Balance of the wallet right after the swap. */
  holding0: bigint
  holding1: bigint
  isBuy: boolean
  /** Raw token1 per raw token0 after the swap. */
  priceRaw: Rational
  /** Price of the target token after the swap. */
  priceUsd: Rational | null
  priceNative: Rational | null
  /** Raw units of the target token. */
  targetAmount: bigint
  usdE8: Range
  nativeRaw: Range
}

/** Reserves and price of a pool after a block that changed it. */
export type PoolPoint = {
  blockNumber: number
  reserve0: bigint
  reserve1: bigint
  price: Rational | null
}

export type RecomputedPair = Pool & {
  targetSide: 0 | 1
  quoteDecimals: number
  timeline: PoolPoint[]
  trades: Trade[]
}

export type RecomputedToken = {
  address: string
  decimals: number
  supply: bigint
  /** The part of the supply that does not circulate. */
  parts: { burnt: bigint; locked: bigint; other: bigint }
  /** Wallets with a balance now. */
  holders: ReadonlyMap<string, bigint>
  /** Wallets that ever had a balance. */
  wallets: ReadonlyMap<string, bigint>
  isWhole: boolean
}

/** The whole market of a chain, computed from its blocks only. */
export type Recomputed = {
  profile: MarketProfile
  head: { number: number; hash: string; timeS: number }
  pairs: ReadonlyMap<string, RecomputedPair>
  /** Tokens of pools. */
  tokens: ReadonlyMap<string, RecomputedToken>
  /** USD price of the native coin after each block. */
  nativeUsd: readonly (Rational | null)[]
  /** Block times, indexed by block. */
  timesS: readonly number[]
}
