import { windowsS } from '../marketReads.ts'
import { fineS, minuteS } from './windows.ts'

/** Number of windows made of 5-second buckets: 1m and 5m. Longer ones consist of minutes. */
export const fineWindows = 2

/** Length of the buckets that a window consists of. */
export function bucketLengthS(window: number): number {
  return window < fineWindows ? fineS : minuteS
}

/** Index of the last minute bucket before the window. */
export function minuteAfter(window: number, nowS: number): number {
  return Math.floor(nowS / minuteS) - windowsS[window]! / minuteS
}

/**
 * Index of the last 5-second bucket before the window: a wallet counts if its last trade is in a
 * later bucket.
 */
export function fineAfter(window: number, nowS: number): number {
  if (window < fineWindows) return Math.floor(nowS / fineS) - windowsS[window]! / fineS
  return ((minuteAfter(window, nowS) + 1) * minuteS) / fineS - 1
}

/** True if the time is in a bucket of the window. */
export function isInside(window: number, timeS: number, nowS: number): boolean {
  const lengthS = bucketLengthS(window)
  return Math.floor(timeS / lengthS) > Math.floor(nowS / lengthS) - windowsS[window]! / lengthS
}
