import { setTimeout as sleep } from 'node:timers/promises'

/** Clock of the resolver; tests inject their own. */
export type Clock = {
  nowMs(): number
  /** Resolves early, without an error, when the signal fires. */
  sleep(delayMs: number, signal?: AbortSignal | undefined): Promise<void>
}

export const systemClock: Clock = {
  nowMs: () => performance.now(),
  async sleep(delayMs, signal) {
    await sleep(delayMs, undefined, signal ? { signal, ref: false } : { ref: false }).catch(
      (error: unknown) => {
        if (!signal?.aborted) throw error
      },
    )
  },
}

/** Limits how long a block waits for optional data. */
export type TimeBudget = {
  /** Returns the answer, or undefined if the budget runs out first. A later failure is ignored. */
  waitFor<answer>(asked: Promise<answer>): Promise<answer | undefined>
}

/** Creates the time budget of one block. `budgetMs` null: no limit, as while catching up. */
export function createTimeBudget(budgetMs: number | null, clock: Clock): TimeBudget {
  if (budgetMs === null) return { waitFor: (asked) => asked }
  const timeUp = clock.sleep(budgetMs).then(() => undefined)
  return {
    waitFor(asked) {
      asked.catch(() => undefined)
      return Promise.race([asked, timeUp])
    },
  }
}
