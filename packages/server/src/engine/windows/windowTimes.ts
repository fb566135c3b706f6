import { windowsS } from '../marketReads.ts'
import { fineS, minuteS } from './windows.ts'

/** 1m and 5m are made of 5-second buckets, the others of minutes. */
export const fineWindows = 2

/** Length of the buckets that a window consists of. */
export function bucketLengthS(window: number): number {
  return window < fineWindows ? fineS : minuteS
}

/** Minute buckets of the window are those after this one. */
export function minuteAfter(window: number, nowS: number): number {
  return Math.floor(nowS / minuteS) - windowsS[window]! / minuteS
}

/** Wallets count when their last trade is after this 5-second bucket. */
export function fineAfter(window: number, nowS: number): number {
  if (window < fineWindows) return Math.floor(nowS / fineS) - windowsS[window]! / fineS
  return ((minuteAfter(window, nowS) + 1) * minuteS) / fineS - 1
}

/** Is the time in a bucket of the window? */
export function isInside(window: number, timeS: number, nowS: number): boolean {
  const lengthS = bucketLengthS(window)
  return Math.floor(timeS / lengthS) > Math.floor(nowS / lengthS) - windowsS[window]! / lengthS
}
