import { decodeChanges, encodeChanges } from '../../ledger/undo.ts'
import type { LogRow } from '../../log/log.ts'
import type { MarketEvent } from '../../model/marketEvent.ts'
import type { BlockWrite } from '../../store/blockWrite.ts'

/** What of a write is neither in its entries nor follows from them. */
type Carried = Pick<
  BlockWrite,
  'headAfter' | 'reverted' | 'nowS' | 'tipTimeS' | 'doubt' | 'settledDoubts' | 'leftOut'
> & {
  /** As `encodeChanges` writes it; null: the undo of the entry has it. */
  changes: string | null
}

const undoOf = (entries: readonly LogRow[]) => entries.find(({ undo }) => undo !== null)?.undo

/** Goes to the log with the entries, so that whoever reads them there can store what this process could not. */
export function encodeCarried(write: BlockWrite): Uint8Array {
  const { headAfter, reverted, nowS, tipTimeS, doubt, settledDoubts, leftOut } = write
  const isInUndo = undoOf(write.entries) !== undefined
  const carried: Carried = {
    headAfter,
    reverted,
    nowS,
    tipTimeS,
    doubt,
    settledDoubts,
    leftOut,
    changes: isInUndo ? null : Buffer.from(encodeChanges(write.balances)).toString(),
  }
  return Buffer.from(JSON.stringify(carried))
}

/** The write again; `events` are what an engine says to its entries. */
export function decodeCarried(
  { entries, carried }: { entries: readonly LogRow[]; carried: Uint8Array },
  rest: { chainId: number; expectedSeq: number; events: readonly MarketEvent[] },
): BlockWrite {
  const { changes, ...facts } = JSON.parse(Buffer.from(carried).toString()) as Carried
  const bytes = changes === null ? undoOf(entries)! : Buffer.from(changes)
  return { ...facts, ...rest, entries, balances: decodeChanges(bytes) }
}
