/** Cases of a cheap property in `npm test`: with fewer, most faults of a single branch are not met. */
const cheapRuns = 100

type RunsOptions = {
  /** A case takes less than 5 ms. @default false */
  isCheap?: boolean
}

/** How often a property is tried: a twelfth in `npm test`, all in `npm run test:all`. */
export function runs(count: number, { isCheap = false }: RunsOptions = {}): number {
  if (process.env.FUZZ_LONG !== undefined) return count
  return Math.max(Math.ceil(count / 12), isCheap ? Math.min(count, cheapRuns) : 0)
}
