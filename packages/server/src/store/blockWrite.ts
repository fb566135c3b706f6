import type { LogStep } from '../log/log.ts'
import type { BlockRef } from '../model/block.ts'
import type { BalanceChange } from '../model/finishedBlock.ts'
import type { MarketEvent } from '../model/marketEvent.ts'
import type { Doubt, SettledDoubts } from '../model/trust/doubt.ts'
import type { LeftOutChanges } from '../model/trust/leftOut.ts'

/** Place in a chain's log and the block the stored chain ends with. `number` -1: no block yet. */
export type Cursor = { seq: number; number: number; hash: string }

/**
 * All that one step of a chain changes; stored whole or not at all. A step is one block, facts that came
 * late for one block, one revert, or an entry that changes no market (finalize).
 */
export type BlockWrite = LogStep & {
  chainId: number
  /** The block the stored chain ends with when it is stored. */
  headAfter: Omit<Cursor, 'seq'>
  /** What the engine said to these entries. A revert's are not stored: the store reverts what it wrote. */
  events: readonly MarketEvent[]
  /** A revert gives the changes of the block it reverts as they were committed; `before` is restored. */
  balances: readonly BalanceChange[]
  /** The block this write reverts, or null. */
  reverted: BlockRef | null
  /** Why what the block says may not be true; it is marked so. */
  doubt?: Doubt | null | undefined
  /** What was found out of blocks that were marked so before. Undefined or null: nothing. */
  settledDoubts?: SettledDoubts | null | undefined
  /** What the block changes of the contracts whose events are left out. Undefined or null: nothing. */
  leftOut?: LeftOutChanges | null | undefined
  /** What our clock says. With the next one it decides what is too old to be stored. */
  nowS: number
  /** What the chain says: unix seconds of the newest block that a node had told of. @default our clock */
  tipTimeS?: number | undefined
}

/** A write with the place that the log gave it. */
export type PlacedWrite = BlockWrite & {
  /** Of the first entry. Entries have consecutive sequences. */
  seq: number
  cursorAfter: Cursor
}
