/** Cases of a cheap property in `npm test`; fewer rarely reach a fault in a single branch. */
const cheapRuns = 100

type RunsOptions = {
  /** A case takes less than 5 ms. @default false */
  isCheap?: boolean
}

/** Number of cases of a property: a twelfth in `npm test`, all in `npm run test:all`. */
export function propertyRuns(count: number, { isCheap = false }: RunsOptions = {}): number {
  if (process.env.FUZZ_LONG !== undefined) return count
  return Math.max(Math.ceil(count / 12), isCheap ? Math.min(count, cheapRuns) : 0)
}
