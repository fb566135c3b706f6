import type { BlockRef } from './block.ts'

/**
 * What a chain says happened, in order. Commits link by parent hash; reverts arrive newest block
 * first and name blocks that were committed; a finalized block is never reverted.
 */
export type ChainEvent<block> =
  /** `doubt`: why what the block says may not be true, where nobody could be found who tells better. */
  | { type: 'commit'; block: block; receivedMs: number; doubt?: string | undefined }
  | { type: 'revert'; ref: BlockRef }
  | { type: 'finalize'; ref: { number: number; hash: string } }
