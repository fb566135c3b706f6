const dayMs = 86_400_000

/** A calendar month, UTC: what credits are counted by. */
export type CreditPeriod = {
  /** Months since year 0: the next period has the next number. */
  number: number
  startMs: number
  /** The first moment that is no longer in it. */
  endMs: number
}

export function creditPeriodAt(timeMs: number): CreditPeriod {
  const time = new Date(timeMs)
  const year = time.getUTCFullYear()
  const month = time.getUTCMonth()
  const startMs = Date.UTC(year, month)
  return { number: year * 12 + month, startMs, endMs: Date.UTC(year, month + 1) }
}

/** Days since 1970-01-01. */
export function dayAt(timeMs: number): number {
  return Math.floor(timeMs / dayMs)
}

/** The moment a day begins. */
export function dayStartMs(day: number): number {
  return day * dayMs
}
