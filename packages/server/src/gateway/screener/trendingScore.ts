import type { TokenInterest } from '../../engine/marketReads.ts'

const daySeconds = 86_400

/**
 * Returns log2(1 + organic USD volume) x log2(1 + makers) x (1 + change / 2), over 24 hours. The
 * change is limited to -0.5 to 1. The score resists manipulation: organic volume excludes round
 * trips of one wallet, each wallet counts once across all pairs, and volume and wallets count
 * logarithmically. NaN without makers, when only other pairs of the token traded.
 */
export function trendingInterest(
  { organicUsd, makers }: TokenInterest,
  changePercent: number,
): number {
  if (makers === 0) return Number.NaN
  const change = Math.min(1, Math.max(-0.5, changePercent / 100))
  return Math.log2(1 + organicUsd) * Math.log2(1 + makers) * (1 + change / 2)
}

/**
 * Returns interest x (1 + 1 / (1 + age in days)). A token with unknown age counts as the oldest.
 */
export function trendingScore(interest: number, beganAtS: number, nowS: number): number {
  const ageS = Number.isNaN(beganAtS) ? nowS : Math.max(0, nowS - beganAtS)
  return interest * (1 + 1 / (1 + ageS / daySeconds))
}
