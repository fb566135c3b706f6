import { encodeEntry } from '../../log/entryCodec.ts'
import type { BlockRef } from '../../model/block.ts'
import type { FinishedBlock } from '../../model/finishedBlock.ts'
import type { LateFacts, LogEntry } from '../../model/logEntry.ts'
import type { Doubt, SettledDoubts } from '../../model/trust/doubt.ts'
import type { LeftOutChanges } from '../../model/trust/leftOut.ts'

/** One log entry on its way from a chain's thread to its engine. */
export type HandedEntry = {
  type: LogEntry['type']
  ref: BlockRef
  bytes: Uint8Array
  /**
   * What the ledger changed, as encodeUndo writes it, or of a final block encodeChanges; of a revert, what the block
   * had changed. Null: nothing.
   */
  changes: Uint8Array | null
  /** The block was final when it was read: it will never be reverted. */
  isFinal: boolean
  /** Of a block: unix seconds of the newest one that a node had reported. */
  tipTimeS?: number
  /** Why what the block says may not be true. Undefined or null: nothing speaks against it. */
  doubt?: Doubt | null
  /** What was found out of blocks that were in doubt. Undefined or null: nothing. */
  settledDoubts?: SettledDoubts | null
  /** What the block changes of the contracts whose events are left out. Undefined or null: nothing. */
  leftOut?: LeftOutChanges | null
}

export function handCommit(
  block: FinishedBlock,
  facts: Pick<HandedEntry, 'isFinal' | 'doubt' | 'settledDoubts' | 'leftOut'> & {
    changes: Uint8Array
    tipTimeS: number
  },
): HandedEntry {
  const bytes = encodeEntry({ type: 'commit', block })
  return { type: 'commit', ref: block.ref, bytes, ...facts }
}

/** Entries without a time of their own carry the head's. */
export function handLate(facts: LateFacts, headTimeS: number): HandedEntry {
  const ref = { ...facts.ref, parentNumber: -1, parentHash: '', timeS: headTimeS }
  const bytes = encodeEntry({ type: 'late', facts })
  return { type: 'late', ref, bytes, changes: null, isFinal: false }
}

export function handRevert(ref: BlockRef, changes: Uint8Array): HandedEntry {
  return {
    type: 'revert',
    ref,
    bytes: encodeEntry({ type: 'revert', ref }),
    changes,
    isFinal: false,
  }
}

export function handFinalize(
  ref: { number: number; hash: string },
  headTimeS: number,
): HandedEntry {
  const bytes = encodeEntry({ type: 'finalize', ref })
  const full = { ...ref, parentNumber: -1, parentHash: '', timeS: headTimeS }
  return { type: 'finalize', ref: full, bytes, changes: null, isFinal: true }
}
