const dayMs = 86_400_000

/** Period in which credits are counted: a calendar month, UTC. */
export type CreditPeriod = {
  /** Months since year 0, so that the next period has the next number. */
  number: number
  startMs: number
  /** First millisecond after the period. */
  endMs: number
}

export function creditPeriodAt(timeMs: number): CreditPeriod {
  const time = new Date(timeMs)
  const year = time.getUTCFullYear()
  const month = time.getUTCMonth()
  const startMs = Date.UTC(year, month)
  return { number: year * 12 + month, startMs, endMs: Date.UTC(year, month + 1) }
}

/** Returns the number of a day (UTC), counted from 1970-01-01. */
export function dayAt(timeMs: number): number {
  return Math.floor(timeMs / dayMs)
}

/** Returns the first millisecond of a day (UTC). */
export function dayStartMs(day: number): number {
  return day * dayMs
}
