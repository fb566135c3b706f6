import { firstKlineStartS, type Kline, klineIntervalsS, klineStartS } from '../../model/kline.ts'
import type { KlineLength } from '../operation/klineIntervals.ts'
import { joinKlines } from './joinKlines.ts'
import { type PairKlinesQuery, readPairKlines } from './pairKlines.ts'
import type { StoreReads } from './storeReads.ts'

export type KlinesQuery = Omit<PairKlinesQuery, 'interval'> & { length: KlineLength }

// 27 years of days: older than any chain.
const joinedRowsMax = 10_000

/** The newest klines of any length that start in the range, oldest first; the open one is among them. */
export async function readKlines(
  store: StoreReads,
  { length: { interval, lengthS }, ...query }: KlinesQuery,
): Promise<Kline[]> {
  const { fromS, toS, limit } = query
  if (lengthS === klineIntervalsS[interval])
    return await readPairKlines(store, { ...query, interval })
  const parts = await readPairKlines(store, {
    ...{ ...query, interval },
    fromS: firstKlineStartS(fromS, lengthS),
    toS: klineStartS(toS, lengthS) + lengthS - 1,
    limit: joinedRowsMax,
  })
  return joinKlines(parts, lengthS).slice(-limit)
}
