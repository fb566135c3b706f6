import { type Kline, klineStartS, type Ohlc } from '../../model/kline.ts'

/** Klines of a longer length out of shorter ones, oldest first, that fill it without overlap. */
export function joinKlines(klines: readonly Kline[], lengthS: number): Kline[] {
  const joined: Kline[] = []
  for (const kline of klines) {
    const startS = klineStartS(kline.startS, lengthS)
    const last = joined.at(-1)
    if (last?.startS === startS) joined[joined.length - 1] = joinTwo(last, kline)
    else joined.push({ ...kline, startS })
  }
  return joined
}

function joinTwo(first: Kline, next: Kline): Kline {
  return {
    startS: first.startS,
    usd: joinPrices(first.usd, next.usd),
    native: joinPrices(first.native, next.native),
    volumeUsdE8: first.volumeUsdE8 + next.volumeUsdE8,
    volumeNativeRaw: first.volumeNativeRaw + next.volumeNativeRaw,
    count: first.count + next.count,
  }
}

function joinPrices(first: Ohlc, next: Ohlc): Ohlc {
  return {
    open: first.open,
    high: Math.max(first.high, next.high),
    low: Math.min(first.low, next.low),
    close: next.close,
  }
}
