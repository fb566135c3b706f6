import type { Trade } from './market.ts'
import { addRange, compare, emptyRange, type Range, type Rational } from './rational.ts'

/** Seconds of 1m, 5m, 15m, 1h, 4h and 24h, and of the buckets they consist of. */
export const windows = [
  { lengthS: 60, bucketS: 5 },
  { lengthS: 300, bucketS: 5 },
  { lengthS: 900, bucketS: 60 },
  { lengthS: 3_600, bucketS: 60 },
  { lengthS: 14_400, bucketS: 60 },
  { lengthS: 86_400, bucketS: 60 },
] as const

export type ExactWindow = {
  buyVolumeUsdE8: Range
  sellVolumeUsdE8: Range
  organicVolumeUsdE8: Range
  buyCount: number
  sellCount: number
  amountRaw: bigint
  makers: number
  buyers: number
  sellers: number
  highUsd: Rational | null
  lowUsd: Rational | null
  /** The last price before the window, else the first in it; null without both. */
  openUsd: Rational | null
  closeUsd: Rational | null
}

/** The window that ends with the bucket of `nowS`. That bucket counts completely. */
export function windowOf(
  trades: readonly Trade[],
  window: (typeof windows)[number],
  nowS: number,
  /** Current price, included in high and low; null when unknown. */
  currentUsd: Rational | null,
): ExactWindow {
  const { lengthS, bucketS } = window
  const beginS = (Math.floor(nowS / bucketS) + 1) * bucketS - lengthS
  const earlier = trades.filter(({ timeS }) => timeS < beginS)
  const inside = trades.filter(({ timeS }) => timeS >= beginS)
  const buys = inside.filter(({ isBuy }) => isBuy)
  const sells = inside.filter(({ isBuy }) => !isBuy)
  const lastBefore = lastPrice(earlier)
  const closeUsd = lastPrice(trades)
  const prices = inside.flatMap(({ priceUsd }) => priceUsd ?? [])
  // The opening price counts for high and low; it is the only price of a window without trades.
  const seen = [lastBefore, ...prices, currentUsd].filter((price) => price !== null)
  return {
    buyVolumeUsdE8: volumeOf(buys),
    sellVolumeUsdE8: volumeOf(sells),
    organicVolumeUsdE8: volumeOf(inside.filter((trade) => !isRoundTrip(trade, trades))),
    buyCount: buys.length,
    sellCount: sells.length,
    amountRaw: inside.reduce((sum, { targetAmount }) => sum + targetAmount, 0n),
    makers: walletCount(inside),
    buyers: walletCount(buys),
    sellers: walletCount(sells),
    highUsd: seen.length === 0 ? null : seen.reduce((a, b) => (compare(a, b) >= 0 ? a : b)),
    lowUsd: seen.length === 0 ? null : seen.reduce((a, b) => (compare(a, b) <= 0 ? a : b)),
    openUsd: lastBefore ?? prices[0] ?? null,
    closeUsd,
  }
}

/** A trade whose wallet also traded in the other direction within a minute before or after. */
function isRoundTrip({ wallet, isBuy, timeS }: Trade, trades: readonly Trade[]): boolean {
  return trades.some(
    (other) =>
      other.wallet === wallet && other.isBuy !== isBuy && Math.abs(other.timeS - timeS) <= 60,
  )
}

function volumeOf(trades: readonly Trade[]): Range {
  return trades.reduce((sum, { usdE8 }) => addRange(sum, usdE8), emptyRange)
}

function walletCount(trades: readonly Trade[]): number {
  return new Set(trades.map(({ wallet }) => wallet)).size
}

function lastPrice(trades: readonly Trade[]): Rational | null {
  return trades.findLast(({ priceUsd }) => priceUsd !== null)?.priceUsd ?? null
}
