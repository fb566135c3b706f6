import type { MarketReads } from '../../packages/server/src/engine/marketReads.ts'
import { klineNow } from '../../packages/server/src/model/klines/klineNow.ts'
import {
  createDifferences,
  klineErrorMax,
} from '../../packages/server/src/verify/compare/differences.ts'
import { bucketStartS, intervalsS } from '../../packages/server/src/verify/klines.ts'
import { compare, type Rational } from '../../packages/server/src/verify/rational.ts'
import type { RecomputedPair } from '../../packages/server/src/verify/recompute.ts'
import type { CurrentPrice } from './comparePair.ts'

/** The kline of the head's bucket: the trades in it, and the current price as its close. */
export function compareKlineNow(
  pair: RecomputedPair,
  current: CurrentPrice,
  headS: number,
  reads: MarketReads,
  pairId: number,
): string[] {
  if (pair.trades.length === 0) return []
  const lastClose = reads.lastClose(pairId)
  return intervalsS.flatMap((intervalS, interval) => {
    const differences = createDifferences(`Pair ${pair.address} ${intervalS} s kline now`)
    const startS = bucketStartS(headS, intervalS)
    const traded = reads.openKline(pairId, interval)
    const actual = klineNow({ startS, traded, lastClose, current: reads.pairPrice(pairId) })
    const inside = pair.trades.filter(({ timeS }) => timeS >= startS)
    differences.same('count', inside.length, actual?.count ?? 0)
    for (const [unit, field] of [
      ['usd', 'priceUsd'],
      ['native', 'priceNative'],
    ] as const) {
      const now = current[unit]
      if (now === null) continue
      const before = pair.trades.findLast((trade) => trade.timeS < startS && trade[field] !== null)
      const trades = before === undefined ? inside : [before, ...inside]
      const prices = [...trades.flatMap((trade) => trade[field] ?? []), now]
      // A price that has not moved since the last trade opens no kline.
      const close = lastClose[unit]
      const ohlc = actual?.[unit] ?? { open: close, high: close, low: close, close }
      const expected = { open: prices[0]!, high: highest(prices), low: lowest(prices), close: now }
      for (const name of ['open', 'high', 'low', 'close'] as const)
        differences.near(`${unit}.${name}`, expected[name], ohlc[name], klineErrorMax)
    }
    return differences.sentences
  })
}

function highest(prices: readonly Rational[]): Rational {
  return prices.reduce((a, b) => (compare(a, b) >= 0 ? a : b))
}

function lowest(prices: readonly Rational[]): Rational {
  return prices.reduce((a, b) => (compare(a, b) <= 0 ? a : b))
}
