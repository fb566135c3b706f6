/** How it is known what is never reverted: the chain's nodes say so, or so many blocks are above it. */
export type Finality = { type: 'tag' } | { type: 'depth'; blocks: number }

// The tag of a rollup is some 5,000 blocks behind; one that is further stands still, and what can be reverted is kept.
const tagLagBlocksMax = 10_000

/** Blocks that may be there and not final, at most. */
export function unsettledBlocksMaxOf(finality: Finality): number {
  return finality.type === 'depth' ? finality.blocks : tagLagBlocksMax
}
