/**
 * Which blocks are never reverted: those that nodes report as final, or blocks of this depth or
 * age.
 */
export type Finality =
  | { type: 'tag' }
  | { type: 'depth'; blocks: number }
  | { type: 'age'; seconds: number }

/** The newest blocks are not final at any age. */
export const finalBlocksMin = 5

// A rollup's finalized tag is some 5,000 blocks behind. A tag further behind is stuck; revertible
// blocks are kept up to this number.
const nonFinalBlocksMax = 10_000

/** Maximum number of blocks that are not final. */
export function nonFinalBlocksMaxOf(finality: Finality): number {
  return finality.type === 'depth' ? finality.blocks : nonFinalBlocksMax
}
