/** Kline intervals by their name in a subscription, in seconds, shortest first. */
export const intervals = {
  s1: 1,
  k1: 60,
  k5: 300,
  k15: 900,
  k30: 1_800,
  k60: 3_600,
  k120: 7_200,
  k240: 14_400,
  k1440: 86_400,
  k10080: 604_800,
} as const

export type Interval = keyof typeof intervals

type MinutesOf<interval> = interval extends `k${infer minutes extends number}`
  ? minutes | `${minutes}`
  : never

/** An interval as callers may write it: `k5`, `5` as text, or the number 5. */
export type IntervalName = Interval | MinutesOf<Interval>

export function isInterval(text: string): text is Interval {
  return Object.hasOwn(intervals, text)
}

/**
 * The interval of a name with or without its k: `k60`, `60` and the number 60 are the same. Null:
 * unknown.
 */
export function intervalOf(text: string | number): Interval | null {
  const name = /^\d/.test(String(text)) ? `k${text}` : String(text)
  return isInterval(name) ? name : null
}

export function intervalS(interval: Interval): number {
  return intervals[interval]
}

/** The interval as pushes write it: `s1` stays, `k15` becomes `15`, in minutes. */
export function pushInterval(interval: Interval): string {
  return interval === 's1' ? interval : interval.slice(1)
}
