import type { Clock } from './clock.ts'

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
