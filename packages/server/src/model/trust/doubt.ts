import type { BlockRef } from '../block.ts'

/** Why what a block says may not be true, though nobody could be found who tells better. */
export type Doubt = {
  reason: string
  /** Of what it says, to be compared later. Null: it cannot be asked for again. */
  digest: string | null
}

/** A block that was stored with a doubt, and can be asked for again. */
export type DoubtfulBlock = Pick<BlockRef, 'number' | 'hash'> & {
  digest: string
  /** Null: it is not in the log any more, so nothing can revert it. */
  parent: Pick<BlockRef, 'number' | 'hash'> | null
}

/** Of a block that proved wrong when it was final: only reading the chain again helps. */
export const untrueReason = 'nodes say now that it is not true, and it is final'

/** What was found out of doubtful blocks; goes to the store with a later block. */
export type SettledDoubts = {
  /** They say what the chain says. */
  right: readonly number[]
  /** They do not, and are final: the mark stays, with another reason. */
  wrong: readonly { number: number; reason: string }[]
}
