import type { LogAppend } from '../log/log.ts'
import type { BlockRef } from '../model/block.ts'
import type { BalanceChange } from '../model/finishedBlock.ts'
import type { MarketEvent } from '../model/marketEvent.ts'
import type { BlockDoubt, BlockVerdicts } from '../model/trust/doubt.ts'
import type { IgnoredContractChanges } from '../model/trust/ignoredContracts.ts'

/** A place in a chain's log, and the newest stored block there. `number` -1: no block yet. */
export type Cursor = { seq: number; number: number; hash: string }

/**
 * All changes of one step of a chain, stored whole or not at all. A step is one block, late facts
 * of one block, one revert, or an entry that changes no market (finalize).
 */
export type BlockWrite = LogAppend & {
  chainId: number
  /** The newest stored block after this step. */
  headAfter: Omit<Cursor, 'seq'>
  /**
   * The engine's events for these entries. A revert's are not stored: the store reverts its own
   * rows.
   */
  events: readonly MarketEvent[]
  /** A revert has the changes of its block as they were committed; `before` is restored. */
  balances: readonly BalanceChange[]
  /** The block that this step reverts; null if none. */
  reverted: BlockRef | null
  /** Why the block is unverified; the store marks it. */
  doubt?: BlockDoubt | null | undefined
  /** Results for earlier unverified blocks. Undefined or null: none. */
  settledDoubts?: BlockVerdicts | null | undefined
  /** Changes to the ignored contracts. Undefined or null: none. */
  leftOut?: IgnoredContractChanges | null | undefined
  /** Local time. Together with `tipTimeS` it decides which rows are too old to store. */
  nowS: number
  /** Chain time: unix seconds of the newest block known from a node. @default local time */
  tipTimeS?: number | undefined
}

/** A write with its sequences from the log. */
export type SequencedWrite = BlockWrite & {
  /** Sequence of the first entry; the others follow it. */
  seq: number
  cursorAfter: Cursor
}
