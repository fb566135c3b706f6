/** Blocks that are never reverted: those that nodes report as final, or blocks this deep or this old. */
export type Finality =
  | { type: 'tag' }
  | { type: 'depth'; blocks: number }
  | { type: 'age'; seconds: number }

/** The newest blocks are not final, whatever their age. */
export const finalBlocksMin = 5

// The tag of a rollup is some 5,000 blocks behind; one that is further stands still, and what can be reverted is kept.
const unsettledBlocksMax = 10_000

/** Blocks that may be there and not final, at most. */
export function unsettledBlocksMaxOf(finality: Finality): number {
  return finality.type === 'depth' ? finality.blocks : unsettledBlocksMax
}
