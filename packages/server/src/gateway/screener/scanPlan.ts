import { type Board, type BoardQuery, isBehind, type ScanPlan } from './board.ts'

// Of a million rows one in forty is then larger than the least of a page, and reading so many takes a fraction of a millisecond.
const sampleSize = 2_048

/** As nothing is known of the rows. */
export const blindPlan = ({ ranges }: BoardQuery): ScanPlan => ({
  ranges,
  least: Number.NEGATIVE_INFINITY,
})

/**
 * Looks at some of the rows. Without it, rows whose values grow with their ids, as the newest do, would each be the largest
 * that was seen so far.
 */
export function planScan(board: Board, query: BoardQuery): ScanPlan {
  const { ranges, column, sign, limit, after } = query
  const { count } = board
  const step = Math.floor(count / sampleSize)
  if (step < 2) return blindPlan(query)
  const passes = ranges.map((range) => ({ range, alone: [range], count: 0 }))
  const found = new Float64Array(Math.ceil(count / step))
  let foundCount = 0
  for (let id = 0; id < count; id += step) {
    for (const pass of passes) if (board.isWithin(id, pass.alone)) pass.count += 1
    const value = sign * board.value(id, column)
    if (Number.isNaN(value) || !board.isWithin(id, ranges)) continue
    if (after === null || isBehind(after, id, value)) found[foundCount++] = value
  }
  return {
    ranges: passes.sort((a, b) => a.count - b.count).map(({ range }) => range),
    least: foundCount < limit ? Number.NEGATIVE_INFINITY : below(nth(found, foundCount, limit)),
  }
}

/** The nth largest of the first values. */
const nth = (values: Float64Array, count: number, n: number) =>
  values.subarray(0, count).sort()[count - n]!

/** A little smaller: rows with the value itself may be among the first. */
const below = (value: number) => value - Math.abs(value) * Number.EPSILON - Number.MIN_VALUE
