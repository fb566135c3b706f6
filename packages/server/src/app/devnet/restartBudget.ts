type RestartBudget = {
  /** Returns how long to wait before the next restart; null: the budget is used up. */
  take(nowMs: number): number | null
}

export type RestartLimits = {
  restartsMax: number
  /** Restarts within this period count. */
  periodMs: number
}

// The first restart is immediate; later ones wait at least this long.
const waitMsMin = 1_000
const waitMsMax = 30_000

/** Limits how often a failing process is restarted, and spaces the restarts. */
export function createRestartBudget({ restartsMax, periodMs }: RestartLimits): RestartBudget {
  let taken: number[] = []
  return {
    take(nowMs) {
      taken = taken.filter((atMs) => nowMs - atMs < periodMs)
      if (taken.length >= restartsMax) return null
      const waitMs = taken.length === 0 ? 0 : waitMsMin * 2 ** (taken.length - 1)
      taken.push(nowMs)
      return Math.min(waitMsMax, waitMs)
    },
  }
}
