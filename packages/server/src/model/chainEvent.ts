import type { BlockRef } from './block.ts'

/**
 * What a chain says happened, in order. Commits link by parent hash; reverts arrive newest block
 * first and name blocks that were committed; a finalized block is never reverted.
 */
export type ChainEvent<block> =
  | { type: 'commit'; block: block; receivedMs: number }
  | { type: 'revert'; ref: BlockRef }
  | { type: 'finalize'; ref: { number: number; hash: string } }
