import { klineStartS } from './kline.ts'

/** The stretches of time that klines of one length stand for: one begins where the one before it ends. */
export type KlineBuckets = {
  /** Start of the bucket that a time is in. */
  startS(timeS: number): number
  /** Start of the bucket after the one that starts here. */
  nextS(startS: number): number
  /** Start of the bucket so many before the one that starts here. */
  earlierS(startS: number, count: number): number
}

export function bucketsOf(lengthS: number): KlineBuckets {
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

/** The first bucket that starts at or after a time. */
export function firstBucketS(buckets: KlineBuckets, timeS: number): number {
  const startS = buckets.startS(timeS)
  return startS < timeS ? buckets.nextS(startS) : startS
}
