import { klineStartS } from './kline.ts'

/** The buckets of klines of one length: each begins where the previous one ends. */
export type KlineBuckets = {
  /** Start of the bucket that contains a time. */
  startS(timeS: number): number
  /** Start of the bucket after the one that starts at `startS`. */
  nextS(startS: number): number
  /** Start of the bucket `count` before the one that starts at `startS`. */
  earlierS(startS: number, count: number): number
}

export function fixedBuckets(lengthS: number): KlineBuckets {
  return {
    startS: (timeS) => klineStartS(timeS, lengthS),
    nextS: (startS) => startS + lengthS,
    earlierS: (startS, count) => startS - count * lengthS,
  }
}

/** Months of the calendar, UTC. */
export const monthBuckets: KlineBuckets = {
  startS: (timeS) => shiftedMonthS(timeS, 0),
  nextS: (startS) => shiftedMonthS(startS, 1),
  earlierS: (startS, count) => shiftedMonthS(startS, -count),
}

function shiftedMonthS(timeS: number, months: number): number {
  const date = new Date(timeS * 1_000)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months) / 1_000
}

/** Start of the first bucket at or after a time. */
export function firstBucketStartS(buckets: KlineBuckets, timeS: number): number {
  const startS = buckets.startS(timeS)
  return startS < timeS ? buckets.nextS(startS) : startS
}
