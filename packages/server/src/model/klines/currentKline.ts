import type { UsdNativePrice } from '../price.ts'
import type { Kline, Ohlc } from './kline.ts'

/** Inputs of the kline of the current bucket. */
export type CurrentKlineOptions = {
  /** Start of the current bucket. */
  startS: number
  /** Trades of the newest kline; null if the pair or token has no open one. */
  traded: Kline | null
  /** Price of the last trade. */
  lastClose: UsdNativePrice
  current: UsdNativePrice
}

/**
 * The kline of the current bucket: it closes at the current price, which adds no volume. Null if
 * nothing traded in the bucket and the price is still that of the last trade. Closed klines only
 * consist of trades.
 */
export function currentKline({
  startS,
  traded,
  lastClose,
  current,
}: CurrentKlineOptions): Kline | null {
  if (traded?.startS === startS) {
    const usd = closedAt(traded.usd, current.usd)
    const native = closedAt(traded.native, current.native)
    return usd === traded.usd && native === traded.native ? traded : { ...traded, usd, native }
  }
  const wasTraded = lastClose.usd !== 0 || lastClose.native !== 0
  const usd = closedAt(flatOhlc(lastClose.usd), current.usd)
  const native = closedAt(flatOhlc(lastClose.native), current.native)
  if (!wasTraded || (usd.close === lastClose.usd && native.close === lastClose.native)) return null
  return { startS, usd, native, volumeUsdE8: 0n, volumeNativeRaw: 0n, count: 0 }
}

function closedAt(prices: Ohlc, close: number): Ohlc {
  if (close === 0 || close === prices.close) return prices
  if (prices.close === 0) return flatOhlc(close)
  const { open, high, low } = prices
  return { open, high: Math.max(high, close), low: Math.min(low, close), close }
}

export function flatOhlc(price: number): Ohlc {
  return { open: price, high: price, low: price, close: price }
}
