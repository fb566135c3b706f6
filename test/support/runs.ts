/**
 * Number of runs of a property that takes seconds: a twelfth in `npm test`, all in `npm run
 * test:all`.
 */
export function runs(count: number): number {
  return process.env.FUZZ_LONG === undefined ? Math.ceil(count / 12) : count
}
