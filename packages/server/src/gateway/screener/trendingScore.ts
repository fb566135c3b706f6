import type { TokenInterest } from '../../engine/marketReads.ts'

const daySeconds = 86_400

/**
 * log2(1 + organic USD volume) x log2(1 + makers) x (1 + change / 2), over 24 hours. Change is a share held between -0.5 and 1.
 * Round trips of one wallet are not in organic volume, a wallet counts once on however many pairs, and more wallets or more volume
 * alone count only by their logarithm. NaN without wallets: they traded other pairs of the token.
 */
export function trendingInterest(
  { organicUsd, makers }: TokenInterest,
  changePercent: number,
): number {
  if (makers === 0) return Number.NaN
  const change = Math.min(1, Math.max(-0.5, changePercent / 100))
  return Math.log2(1 + organicUsd) * Math.log2(1 + makers) * (1 + change / 2)
}

/** The interest x (1 + 1 / (1 + age in days)); the oldest where nobody knows when the token began. */
export function trendingScore(interest: number, beganAtS: number, nowS: number): number {
  const ageS = Number.isNaN(beganAtS) ? nowS : Math.max(0, nowS - beganAtS)
  return interest * (1 + 1 / (1 + ageS / daySeconds))
}
