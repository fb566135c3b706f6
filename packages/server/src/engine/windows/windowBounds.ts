import { windowsS } from '../marketReads.ts'
import { fineBucketS, minuteBucketS } from './windows.ts'

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
