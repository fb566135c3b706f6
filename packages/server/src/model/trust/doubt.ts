import type { BlockRef } from '../block.ts'

/** Why a block's content is unverified. */
export type BlockDoubt = {
  reason: string
  /** Digest of its content, for a later comparison. Null if it cannot be read again. */
  digest: string | null
}

/** A stored unverified block that can be read again. */
export type UnverifiedBlock = Pick<BlockRef, 'number' | 'hash'> & {
  digest: string
  /** Null if it has left the log, so nothing can revert it. */
  parent: Pick<BlockRef, 'number' | 'hash'> | null
}

/** For a final block that proved wrong: only reading the chain again helps. */
export const disprovedBlockReason = 'nodes say now that it is not true, and it is final'

/** Results of reviewed blocks; stored with a later block. */
export type BlockVerdicts = {
  /** Their content matches the chain. */
  right: readonly number[]
  /** Final blocks that do not match: the mark stays, with another reason. */
  wrong: readonly { number: number; reason: string }[]
}
