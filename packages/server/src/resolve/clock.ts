import { setTimeout as sleep } from 'node:timers/promises'

/** Time as a stage sees it; tests bring their own. */
export type Clock = {
  nowMs(): number
  /** Ends early, without an error, when the signal fires. */
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

/** How long a block may wait for what it can do without. */
export type Budget = {
  /** The answer; undefined when it is late. A late failure is nobody's business any more. */
  take<answer>(asked: Promise<answer>): Promise<answer | undefined>
}

/** Null: nobody waits for this block, so it waits for everything. */
export function createBudget(budgetMs: number | null, clock: Clock): Budget {
  if (budgetMs === null) return { take: (asked) => asked }
  const timeUp = clock.sleep(budgetMs).then(() => undefined)
  return {
    take(asked) {
      asked.catch(() => undefined)
      return Promise.race([asked, timeUp])
    },
  }
}
