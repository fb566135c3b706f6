import type { Trade } from './market.ts'
import { addRange, compare, emptyRange, type Range, type Rational } from './rational.ts'

/** Seconds of s1, k1, k5, k15, k30, k60, k120, k240, k1440, k10080. */
export const intervalsS = [1, 60, 300, 900, 1_800, 3_600, 7_200, 14_400, 86_400, 604_800] as const

/** Null when no trade had a price yet. */
export type ExactOhlc = { open: Rational; high: Rational; low: Rational; close: Rational } | null

export type ExactKline = {
  startS: number
  usd: ExactOhlc
  native: ExactOhlc
  volumeUsdE8: Range
  volumeNativeRaw: Range
  count: number
}

const weekS = 604_800
// Weeks begin on Monday, and 1970 began on a Thursday.
const mondayBeforeEpochS = -3 * 86_400

export function bucketStartS(timeS: number, intervalS: number): number {
  const firstS = intervalS === weekS ? mondayBeforeEpochS : 0
  return firstS + Math.floor((timeS - firstS) / intervalS) * intervalS
}

/** A pair's klines of one length, oldest first, without buckets that have no trade. */
export function klinesOf(trades: readonly Trade[], intervalS: number): ExactKline[] {
  const klines: ExactKline[] = []
  let lastUsd: Rational | null = null
  let lastNative: Rational | null = null
  for (const trade of trades) {
    const startS = bucketStartS(trade.timeS, intervalS)
    let kline = klines.at(-1)
    if (kline?.startS !== startS) {
      kline = {
        startS,
        usd: flat(lastUsd),
        native: flat(lastNative),
        volumeUsdE8: emptyRange,
        volumeNativeRaw: emptyRange,
        count: 0,
      }
      klines.push(kline)
    }
    kline.usd = stretch(kline.usd, trade.priceUsd)
    kline.native = stretch(kline.native, trade.priceNative)
    kline.volumeUsdE8 = addRange(kline.volumeUsdE8, trade.usdE8)
    kline.volumeNativeRaw = addRange(kline.volumeNativeRaw, trade.nativeRaw)
    kline.count += 1
    lastUsd = trade.priceUsd ?? lastUsd
    lastNative = trade.priceNative ?? lastNative
  }
  return klines
}

function flat(price: Rational | null): ExactOhlc {
  return price && { open: price, high: price, low: price, close: price }
}

function stretch(ohlc: ExactOhlc, price: Rational | null): ExactOhlc {
  if (price === null || ohlc === null) return ohlc ?? flat(price)
  return {
    open: ohlc.open,
    high: compare(price, ohlc.high) > 0 ? price : ohlc.high,
    low: compare(price, ohlc.low) < 0 ? price : ohlc.low,
    close: price,
  }
}
