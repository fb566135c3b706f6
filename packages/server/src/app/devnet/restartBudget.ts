type RestartBudget = {
  /** What to wait before the next restart; null: there were too many. */
  take(nowMs: number): number | null
}

export type RestartLimits = {
  restartsMax: number
  /** Those within it are counted. */
  periodMs: number
}

// The first restart is at once: one that is not repeated should be hardly noticed.
const waitMsMin = 1_000
const waitMsMax = 30_000

/** How often something that breaks is started again, and how soon. */
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
