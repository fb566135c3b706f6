import type { Klines } from '@chaintape/protocol'
import type { MarketReads, TokenKlinesPart } from '../../engine/marketReads.ts'
import {
  type CurrentKlineOptions,
  currentKline,
  flatOhlc,
} from '../../model/klines/currentKline.ts'
import { endedKlinesOf, tokenOfSeriesId } from '../../model/klines/endedKlines.ts'
import { type Kline, klineIntervalsS, klineStartS, type Ohlc } from '../../model/klines/kline.ts'
import { firstBucketStartS, type KlineBuckets } from '../../model/klines/klineBuckets.ts'
import type { GatewayChain } from './gatewayChain.ts'
import type { RecentBlock } from './recentBlock.ts'
import type { TimeRange } from './recentRows.ts'
import { readConsistent, type StoreReads } from './storeReads.ts'

/**
 * A pair or token by address. Ids are not stable: after a reorg an id may mean another pair or
 * token.
 */
export type KlineSubject = { pair: string } | { token: string }

type IntervalQuery = TimeRange & {
  chain: GatewayChain
  /** Stored interval, as an index into `klineIntervalsS`. */
  interval: number
  limit: number
}

/**
 * Returns the newest klines of a stored interval that start in the range, oldest first. Includes
 * the open kline.
 */
export async function readIntervalKlines(
  store: StoreReads,
  of: KlineSubject,
  query: IntervalQuery,
): Promise<Kline[]> {
  const { reads } = query.chain
  if ('token' in of) return await readTokenKlines(store, of.token, query)
  const pairId = reads.findPair(of.pair)
  if (pairId === undefined) return []
  const klines = await readKlinesById(store, pairId, query)
  return reads.findPair(of.pair) === pairId ? klines : []
}

// Retries when a reorg or a change of main pair happened during a read. Two in a row are very rare.
const triesMax = 3

/**
 * Returns a token's klines. A token without its own series gets the klines of its successive main
 * pairs.
 */
async function readTokenKlines(
  store: StoreReads,
  address: string,
  query: IntervalQuery,
): Promise<Kline[]> {
  const { reads } = query.chain
  for (let left = triesMax; left > 0; left -= 1) {
    const reverts = reads.revertCount()
    const tokenId = reads.findToken(address)
    const series = tokenId === undefined ? null : reads.tokenSeries(tokenId)
    if (series === null) return []
    const klines = await readParts(store, series.parts, query)
    const isSame = reads.tokenSeries(tokenId!)?.parts.length === series.parts.length
    if (reads.revertCount() === reverts && isSame) return klines
  }
  return []
}

async function readParts(
  store: StoreReads,
  parts: readonly TokenKlinesPart[],
  query: IntervalQuery,
): Promise<Kline[]> {
  const intervalS = klineIntervalsS[query.interval]!
  // One kline more than requested, because the first kline opens at the close before it.
  const limit = query.limit + 1
  let found: Kline[] = []
  for (let at = parts.length - 1; at >= 0 && found.length < limit; at -= 1) {
    const next = parts[at + 1]
    const takenOverS = next === undefined ? Infinity : klineStartS(next.fromS, intervalS)
    const lastS = next?.startsWithWholeBucket === true ? takenOverS - 1 : takenOverS
    const fromS = Math.max(query.fromS, klineStartS(parts[at]!.fromS, intervalS))
    const toS = Math.min(query.toS, lastS)
    if (fromS > toS) continue
    const klines = await readKlinesById(store, parts[at]!.id, { ...query, fromS, toS, limit })
    found = next?.startsWithWholeBucket === false ? joinParts(klines, found) : [...klines, ...found]
  }
  return found.slice(-query.limit)
}

/**
 * Joins the klines of two successive main pairs. The later pair became the main pair in the middle
 * of a bucket and has its own open price, which is replaced by the earlier pair's close.
 */
function joinParts(earlier: readonly Kline[], later: readonly Kline[]): Kline[] {
  const last = earlier.at(-1)
  const [first, ...rest] = later
  if (last === undefined || first === undefined) return [...earlier, ...later]
  if (last.startS === first.startS) return [...earlier.slice(0, -1), joinTwo(last, first), ...rest]
  const usd = openAt(first.usd, last.usd.close)
  const native = openAt(first.native, last.native.close)
  return [...earlier, { ...first, usd, native }, ...rest]
}

function openAt({ high, low, close }: Ohlc, open: number): Ohlc {
  return { open, high: Math.max(high, open), low: Math.min(low, open), close }
}

async function readKlinesById(
  store: StoreReads,
  id: number,
  { chain, interval, fromS, toS, limit }: IntervalQuery,
): Promise<Kline[]> {
  const chainId = chain.storeId
  return await readConsistent(
    chain,
    (blockMax) => store.loadKlines({ chainId, pairId: id, interval, fromS, toS, limit, blockMax }),
    (stored, blocks) => {
      // A revert frees the pair and token ids that the reverted blocks assigned, so the id may no
      // longer exist.
      if (!isKnown(chain, id)) return []
      const recent = endedKlines(blocks, id, interval)
      const open = chain.reads.openKline(id, interval)
      if (open !== null) recent.push(open)
      const inRange = recent.filter(({ startS }) => startS >= fromS && startS <= toS)
      return [...stored, ...inRange].slice(-limit)
    },
  )
}

function isKnown({ reads }: GatewayChain, id: number): boolean {
  return id >= 0 ? id < reads.pairCount() : tokenOfSeriesId(id) < reads.tokenCount()
}

/** Returns the ended klines of one pair or token series in recent blocks, oldest first. */
function endedKlines(blocks: readonly RecentBlock[], id: number, interval: number): Kline[] {
  const klines: Kline[] = []
  for (const { events } of blocks)
    for (const event of events)
      if (event.type === 'endedKlines') klines.push(...endedKlinesOf(event, id, interval))
  return klines
}

/** A kline length that clients can request. */
export type KlineLength = {
  /** Index in `klineIntervalsS` of the stored klines that klines of this length are built from. */
  storedInterval: number
  buckets: KlineBuckets
  /** Maximum number of stored klines per kline of this length; 1 for a stored length. */
  storedKlinesMax: number
  /** Name in answers: a number of minutes, `s1` or `1M`. */
  name: Klines['interval']
}

export type KlinesQuery = Omit<IntervalQuery, 'interval'> & { length: KlineLength }

// 41 years of days, which is older than any chain, and also the longest chart of three-minute
// klines.
const joinedRowsMax = 15_000

/**
 * Returns the newest klines of any length that start in the range, oldest first. The open kline
 * closes at the current price.
 */
export async function readKlines(
  store: StoreReads,
  of: KlineSubject,
  { length: { storedInterval, buckets, storedKlinesMax }, ...query }: KlinesQuery,
): Promise<Kline[]> {
  const { fromS, toS, limit } = query
  if (storedKlinesMax === 1)
    return await readKlinesNow(store, of, { ...query, interval: storedInterval })
  const parts = await readKlinesNow(store, of, {
    ...query,
    interval: storedInterval,
    fromS: firstBucketStartS(buckets, fromS),
    toS: buckets.nextS(buckets.startS(toS)) - 1,
    limit: Math.min(joinedRowsMax, limit * storedKlinesMax),
  })
  return joinKlines(parts, buckets).slice(-limit)
}

/**
 * Returns klines of a stored interval. The kline of the current bucket closes at the current price.
 */
async function readKlinesNow(
  store: StoreReads,
  of: KlineSubject,
  query: IntervalQuery,
): Promise<Kline[]> {
  const klines = await readIntervalKlines(store, of, query)
  const { chain, interval, fromS, toS, limit } = query
  const { reads } = chain
  const prices = pricesNow(reads, of)
  const startS = klineStartS(reads.head()?.timeS ?? 0, klineIntervalsS[interval]!)
  if (prices === null || startS < fromS || startS > toS) return klines
  const traded = klines.at(-1) ?? null
  const now = currentKline({ startS, traded, ...prices })
  if (now === null || now === traded) return klines
  const closed = traded?.startS === startS ? klines.slice(0, -1) : klines
  return [...closed, now].slice(-limit)
}

/** Returns the last close and the current price; null when no klines are known. */
function pricesNow(
  reads: MarketReads,
  of: KlineSubject,
): Pick<CurrentKlineOptions, 'lastClose' | 'current'> | null {
  if ('pair' in of) {
    const pairId = reads.findPair(of.pair)
    if (pairId === undefined) return null
    return { lastClose: reads.lastClose(pairId), current: reads.pairPrice(pairId) }
  }
  const tokenId = reads.findToken(of.token)
  const last = tokenId === undefined ? undefined : reads.tokenSeries(tokenId)?.parts.at(-1)
  if (last === undefined) return null
  return { lastClose: reads.lastClose(last.id), current: reads.tokenPrice(tokenId!) }
}

/**
 * Merges klines into longer buckets. The input is sorted oldest first and no input kline spans two
 * buckets.
 */
function joinKlines(klines: readonly Kline[], buckets: KlineBuckets): Kline[] {
  const joined: Kline[] = []
  for (const kline of klines) {
    const startS = buckets.startS(kline.startS)
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

type FillOptions = {
  buckets: KlineBuckets
  /** First second of the range to fill. Buckets that start from `fromS` to `toS` are returned. */
  fromS: number
  toS: number
  limit: number
  /**
   * Time of the pair's or token's first trade; no bucket is filled before it. 0: never traded, so
   * no klines.
   */
  firstTradeAtS: number
}

/**
 * Returns the newest `limit` buckets of the range without gaps. An empty bucket is flat at the
 * previous close. `klines` are the newest up to the range's end, oldest first, and include a kline
 * before the range if one exists.
 */
export function fillKlines(klines: readonly Kline[], options: FillOptions): Kline[] {
  const { buckets, limit, firstTradeAtS } = options
  const first = klines[0]
  if (first === undefined || firstTradeAtS === 0) return []
  const lastS = buckets.startS(options.toS)
  const bornS = buckets.startS(firstTradeAtS)
  const fromS = Math.max(
    firstBucketStartS(buckets, options.fromS),
    bornS,
    buckets.earlierS(lastS, limit - 1),
  )
  const filled: Kline[] = []
  let at = klines.findIndex(({ startS }) => startS >= fromS)
  if (at < 0) at = klines.length
  // Without an earlier kline (retention may have deleted it), the first kline's open is used: it
  // equals the previous close.
  let flat = at > 0 ? flatAfter(klines[at - 1]!) : flatBefore(first)
  for (let startS = fromS; startS <= lastS; startS = buckets.nextS(startS)) {
    const next = klines[at]
    if (next?.startS === startS) {
      filled.push(next)
      flat = flatAfter(next)
      at += 1
    } else filled.push({ ...flat, startS })
  }
  return filled
}

type Flat = Omit<Kline, 'startS'>

function flatAfter({ usd, native }: Kline): Flat {
  return emptyAt(usd.close, native.close)
}

function flatBefore({ usd, native }: Kline): Flat {
  return emptyAt(usd.open, native.open)
}

function emptyAt(usd: number, native: number): Flat {
  return {
    usd: flatOhlc(usd),
    native: flatOhlc(native),
    volumeUsdE8: 0n,
    volumeNativeRaw: 0n,
    count: 0,
  }
}
