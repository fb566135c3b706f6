import { windowsS } from '../marketReads.ts'
import { bucketColumn as B, sumColumns } from '../tables/pairTable.ts'
import type { Buckets } from './buckets.ts'
import { addSums, fineBucketS, minuteBucketS } from './windows.ts'

/** Number of windows made of 5-second buckets: 1m and 5m. Longer ones consist of minutes. */
export const fineWindowCount = 2

/** Length of the buckets that a window consists of. */
export function bucketLengthS(window: number): number {
  return window < fineWindowCount ? fineBucketS : minuteBucketS
}

/** Index of the last minute bucket before the window. */
export function lastMinuteBefore(window: number, nowS: number): number {
  return Math.floor(nowS / minuteBucketS) - windowsS[window]! / minuteBucketS
}

/**
 * Index of the last 5-second bucket before the window: a wallet counts if its last trade is in a
 * later bucket.
 */
export function lastFineBefore(window: number, nowS: number): number {
  if (window < fineWindowCount)
    return Math.floor(nowS / fineBucketS) - windowsS[window]! / fineBucketS
  return ((lastMinuteBefore(window, nowS) + 1) * minuteBucketS) / fineBucketS - 1
}

/** True if the time is in a bucket of the window. */
export function isInWindow(window: number, timeS: number, nowS: number): boolean {
  const lengthS = bucketLengthS(window)
  return Math.floor(timeS / lengthS) > Math.floor(nowS / lengthS) - windowsS[window]! / lengthS
}

/** Columns of a cached result: sums and prices of a pair's closed buckets in one window. */
const cacheColumn = {
  newest: 0,
  after: 1,
  high: 2,
  low: 3,
  open: 4,
  oldest: 5,
  isSummed: 6,
  sums: 7,
} as const
const cacheColumns = cacheColumn.sums + sumColumns

// Walks with fewer steps are not cached: finding a cached result costs about as much.
const cachedStepsMin = 12
/** Maximum number of cached results of a few hundred bytes each; beyond it the cache is emptied. */
const cachedMax = 50_000
const growth = 1_024

type WalkOptions = {
  pairRow: number
  window: number
  /** Row of the pair's newest bucket. */
  tail: number
  /** Index of the last bucket before the window. */
  after: number
  isSummed: boolean
}

/**
 * Walks the buckets of a pair's window, newest first. Only the newest two buckets can still change.
 * The result of all older ones is cached until one of these leaves the window, so that a busy
 * pair's day is not walked at each trade. The cache must be cleared after a revert.
 */
export class BucketWalk {
  readonly sums = new Float64Array(sumColumns)
  /** Highest price in the window; 0 without a price. */
  high = 0
  low = 0
  open = 0
  /** Index of the oldest bucket in the window. */
  oldest = Number.POSITIVE_INFINITY
  readonly #cachePositions = new Map<number, number>()
  #cache = new Float64Array(0)

  clear(): void {
    this.#cachePositions.clear()
  }

  /**
   * Walks a window. `isAnyOpen` says that any bucket may change, not only the newest two; nothing
   * is cached then.
   */
  walk(buckets: Buckets, options: WalkOptions, isAnyOpen: boolean): void {
    const { pairRow, window, tail, after, isSummed } = options
    this.sums.fill(0)
    this.high = 0
    this.low = 0
    this.open = 0
    this.oldest = Number.POSITIVE_INFINITY
    if (isAnyOpen) {
      this.#gather(buckets, tail, 0, options)
      return
    }
    const { rows } = buckets
    if (tail < rows.head) return
    const second = rows.page(tail)[rows.at(tail) + B.previous]!
    const closed = second < rows.head ? 0 : rows.page(second)[rows.at(second) + B.previous]!
    const key = pairRow * windowsS.length + window
    const place = this.#cachePositions.get(key)
    const cache = this.#cache
    const isKnown =
      place !== undefined &&
      after >= cache[place + cacheColumn.after]! &&
      after < cache[place + cacheColumn.oldest]! &&
      (!isSummed || cache[place + cacheColumn.isSummed] === 1)
    const known = isKnown ? cache[place + cacheColumn.newest]! : 0
    const steps = this.#gather(buckets, closed, known, options)
    if (isKnown) this.#addCached(cache, place)
    if (isKnown) {
      if (steps > 0) this.#store(place, closed, cache[place + cacheColumn.after]!, isSummed)
    } else if (steps >= cachedStepsMin)
      this.#store(place ?? this.#cachePosition(key), closed, after, isSummed)
    if (second >= rows.head) this.#addNewer(buckets, second, options)
    this.#addNewer(buckets, tail, options)
  }

  /**
   * Adds buckets from a row back to `until` or to the first of the window. Returns their number.
   */
  #gather(buckets: Buckets, from: number, until: number, { after, isSummed }: WalkOptions): number {
    const { rows } = buckets
    let steps = 0
    for (let row = from; row >= rows.head && row !== until; steps += 1) {
      const bucket = rows.page(row)
      const at = rows.at(row)
      if (bucket[at]! <= after) break
      this.#addOlder(bucket, at, isSummed)
      row = bucket[at + B.previous]!
    }
    return steps
  }

  /** Adds a bucket that is older than all buckets added so far. */
  #addOlder(bucket: Float64Array, at: number, isSummed: boolean): void {
    this.oldest = bucket[at]!
    if (isSummed) addSums(this.sums, 0, bucket, at + B.buy)
    this.#extendRange(bucket[at + B.high]!, bucket[at + B.low]!)
    // A bucket that starts without a price leaves the open price of the bucket after it.
    if (bucket[at + B.open] !== 0) this.open = bucket[at + B.open]!
  }

  #extendRange(high: number, low: number): void {
    if (high > this.high) this.high = high
    if (low !== 0 && (this.low === 0 || low < this.low)) this.low = low
  }

  /** Adds a cached result, which is older than the buckets added so far. */
  #addCached(data: Float64Array, place: number): void {
    this.oldest = data[place + cacheColumn.oldest]!
    addSums(this.sums, 0, data, place + cacheColumn.sums)
    this.#extendRange(data[place + cacheColumn.high]!, data[place + cacheColumn.low]!)
    if (data[place + cacheColumn.open] !== 0) this.open = data[place + cacheColumn.open]!
  }

  /** Adds a bucket that is newer than all buckets added so far. */
  #addNewer(buckets: Buckets, row: number, { after, isSummed }: WalkOptions): void {
    const { rows } = buckets
    const bucket = rows.page(row)
    const at = rows.at(row)
    const index = bucket[at]!
    if (index <= after) return
    if (index < this.oldest) this.oldest = index
    if (isSummed) addSums(this.sums, 0, bucket, at + B.buy)
    this.#extendRange(bucket[at + B.high]!, bucket[at + B.low]!)
    if (this.open === 0) this.open = bucket[at + B.open]!
  }

  #store(place: number, newest: number, after: number, isSummed: boolean): void {
    const cache = this.#cache
    cache[place + cacheColumn.newest] = newest
    cache[place + cacheColumn.after] = after
    cache[place + cacheColumn.high] = this.high
    cache[place + cacheColumn.low] = this.low
    cache[place + cacheColumn.open] = this.open
    cache[place + cacheColumn.oldest] = this.oldest
    cache[place + cacheColumn.isSummed] = isSummed ? 1 : 0
    cache.set(this.sums, place + cacheColumn.sums)
  }

  #cachePosition(key: number): number {
    if (this.#cachePositions.size >= cachedMax) this.#cachePositions.clear()
    const place = this.#cachePositions.size * cacheColumns
    this.#cachePositions.set(key, place)
    if (place >= this.#cache.length) {
      const grown = new Float64Array(this.#cache.length + growth * cacheColumns)
      grown.set(this.#cache)
      this.#cache = grown
    }
    return place
  }
}
