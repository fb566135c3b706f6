import type { Board, Range } from '../board.ts'

// Reading so many takes a fraction of a millisecond.
const sampleSize = 2_048

/** The range that fewest rows are within first, by a sample: most rows are then passed over by one comparison. */
export function orderRanges(board: Board, ranges: readonly Range[]): readonly Range[] {
  if (ranges.length < 2) return ranges
  const step = Math.max(1, Math.floor(board.count / sampleSize))
  const passes = ranges.map((range) => ({ range, alone: [range], count: 0 }))
  for (let id = 0; id < board.count; id += step)
    for (const pass of passes) if (board.isWithin(id, pass.alone)) pass.count += 1
  return passes.sort((a, b) => a.count - b.count).map(({ range }) => range)
}
