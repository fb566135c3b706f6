import { decimalOfRaw } from '../lib/decimal.ts'
import type { LpFacts } from './riskReport.ts'
import type { HolderKind, RiskSubject } from './riskSubject.ts'

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
