import { decimalOfRaw } from '../lib/decimal.ts'
import type { PoolKind } from '../model/pool.ts'
import type { LpFacts } from './riskReport.ts'

export type HolderKind = 'wallet' | 'pool' | 'burn' | 'lock' | 'contract' | 'creator'

export type RiskHolder = { address: string; amountRaw: bigint; kind: HolderKind }

type RiskQuote = { address: string; symbol: string; decimals: number }

/** A pool of the token. */
export type RiskPool = {
  /** Address of the pool, or the id of a curve without one. */
  address: string
  kind: PoolKind
  venue: string
  /** Factory of the pool; for a curve, the launch platform's contract. */
  factory: string
  amm: string
  isTrusted: boolean
  /** Null if the venue has one fee for all. */
  feePpm: number | null
  quote: RiskQuote
  /** The pool's quote reserve as the market counts it. */
  quoteReserveRaw: bigint
  /** The venue's own numbers, by which a manager identifies the pool. */
  params: readonly bigint[]
  liquidityUsd: number
}

type RiskSupply = {
  total: bigint
  burnt: bigint
  locked: bigint
  other: bigint
  holders: number
}

type RiskLaunch = {
  platform: string
  state: 'in' | 'almost' | 'out'
  /** Empty if unknown. */
  creator: string
}

/** Are holders known who could try to sell? */
export function hasHolders({ holders }: Pick<RiskSubject, 'holders'>): boolean {
  return holders.some(({ kind }) => kind === 'wallet')
}

/** A token with all that the market knows of it. The checker reads the chain at `block`. */
export type RiskSubject = {
  /** In canonical form. */
  address: string
  symbol: string
  name: string
  decimals: number
  /** Null if not known yet. */
  supply: RiskSupply | null
  /** Largest first. More than ten are useful: each is asked whether it could sell. */
  holders: readonly RiskHolder[]
  /** Main pair first. */
  pools: readonly RiskPool[]
  launch: RiskLaunch | null
  /** Null if no priced route exists. */
  nativeUsd: number | null
  block: { number: number; hash: string; timeS: number }
}

// Digits kept of a share.
const shareDigits = 24

/** part / whole as decimal digits, for integers of any size; null if whole is zero. */
export function shareText(part: bigint, whole: bigint): string | null {
  if (whole <= 0n) return null
  return decimalOfRaw((part * 10n ** BigInt(shareDigits)) / whole, shareDigits)
}

/** The same as a double, rounded once. */
export function shareOf(part: bigint, whole: bigint): number | null {
  const text = shareText(part, whole)
  return text === null ? null : Number(text)
}

// Holders that cannot sell at will.
const tiedKinds: ReadonlySet<HolderKind> = new Set(['pool', 'burn', 'lock'])
const topCount = 10

/**
 * Parts of the supply of the ten largest holders that are free to sell, largest first; null if
 * unknown.
 */
export function topShares({ supply, holders }: RiskSubject): number[] | null {
  if (supply === null || supply.total === 0n || holders.length === 0) return null
  return holders
    .filter(({ kind }) => !tiedKinds.has(kind))
    .slice(0, topCount)
    .map(({ amountRaw }) => shareOf(amountRaw, supply.total)!)
}

/** Part of a pair's liquidity that is burnt or locked; null if unknown. */
export function lockedLpShare({ burntRaw, lockedRaw, totalRaw }: LpFacts): number | null {
  return burntRaw === null || lockedRaw === null ? null : shareOf(burntRaw + lockedRaw, totalRaw)
}

/** Largest part of one account that can withdraw; null if an unknown holder might have more. */
export function largestWithdrawableShare(lp: LpFacts): number | null {
  const loose = lp.holders.filter(({ kind }) => kind !== 'burn' && kind !== 'lock')
  const largest = loose.reduce((most, { amountRaw }) => (amountRaw > most ? amountRaw : most), 0n)
  const share = shareOf(largest, lp.totalRaw)!
  return lp.holderCount === null && 1 - (lockedLpShare(lp) ?? 0) > share ? null : share
}
