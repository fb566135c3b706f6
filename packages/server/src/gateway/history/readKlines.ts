import { endedKlinesOf } from '../../model/endedKlines.ts'
import {
  firstKlineStartS,
  type Kline,
  klineIntervalsS,
  klineStartS,
  type Ohlc,
} from '../../model/kline.ts'
import type { GatewayChain } from '../gatewayChain.ts'
import type { KlineLength } from '../operation/klineIntervals.ts'
import type { TimeRange } from '../operation/timeInputs.ts'
import { readSettled } from '../recent/readSettled.ts'
import type { RecentBlock } from '../recent/recentBlock.ts'
import type { StoreReads } from './storeReads.ts'

type PairKlinesQuery = TimeRange & {
  chain: GatewayChain
  /** Asked by address: a reorg may give the pair's number to another. */
  address: string
  /** Index into `klineIntervalsS`. */
  interval: number
  limit: number
}

/** The newest klines that start in the range, oldest first; the open one is among them. */
export async function readPairKlines(store: StoreReads, query: PairKlinesQuery): Promise<Kline[]> {
  const { chain, address, interval, fromS, toS, limit } = query
  const pairId = chain.reads.findPair(address)
  if (pairId === undefined) return []
  const chainId = chain.storeId
  return await readSettled(
    chain,
    (blockMax) => store.loadKlines({ chainId, pairId, interval, fromS, toS, limit, blockMax }),
    (stored, blocks) => {
      if (chain.reads.findPair(address) !== pairId) return []
      const recent = endedKlines(blocks, pairId, interval)
      const open = chain.reads.openKline(pairId, interval)
      if (open !== null) recent.push(open)
      const inRange = recent.filter(({ startS }) => startS >= fromS && startS <= toS)
      return [...stored, ...inRange].slice(-limit)
    },
  )
}

/** Of one pair, oldest first. */
function endedKlines(blocks: readonly RecentBlock[], pairId: number, interval: number): Kline[] {
  const klines: Kline[] = []
  for (const { events } of blocks)
    for (const event of events)
      if (event.type === 'endedKlines') klines.push(...endedKlinesOf(event, pairId, interval))
  return klines
}

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
    ...query,
    interval,
    fromS: firstKlineStartS(fromS, lengthS),
    toS: klineStartS(toS, lengthS) + lengthS - 1,
    limit: joinedRowsMax,
  })
  return joinKlines(parts, lengthS).slice(-limit)
}

/** Klines of a longer length out of shorter ones, oldest first, that fill it without overlap. */
function joinKlines(klines: readonly Kline[], lengthS: number): Kline[] {
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
