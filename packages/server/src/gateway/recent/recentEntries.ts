import { strict as assert } from 'node:assert'
import type { BlockRef } from '../../model/block.ts'
import type { LogEntry } from '../../model/logEntry.ts'
import type { MarketEvent } from '../../model/marketEvent.ts'

/** An applied block that stands, with what it changed in the market. */
export type RecentBlock = { seq: number; ref: BlockRef; events: readonly MarketEvent[] }

/**
 * A fixed cut between the store and memory, for as long as one read takes. Stored rows of blocks up to `cutNumber`
 * and the blocks given here are the whole history, each once, whatever is persisted or taken back meanwhile.
 */
export type RecentView = {
  /** Blocks up to here stand and are stored; -1: none is. */
  readonly cutNumber: number
  /** The blocks above the cut as they stand now, oldest first; null: a block below the cut was taken back since. */
  blocks(): readonly RecentBlock[] | null
  /** Lets the blocks go. */
  close(): void
}

/** The newest applied blocks of a chain: those that may not be in the store yet. */
export type RecentEntries = {
  /** Called with each log entry right after the engine took it. */
  applied(entry: LogEntry, events: readonly MarketEvent[]): void
  /** All entries up to this sequence are in the store. */
  persisted(seq: number): void
  open(): RecentView
}

export type RecentEntriesOptions = {
  /** Sequence of the last entry that was applied before; it is stored. */
  seq: number
  /** The block the stored chain ends with; -1: none. */
  number: number
}

type View = { cutNumber: number; isOrphaned: boolean }

export function createRecentEntries(options: RecentEntriesOptions): RecentEntries {
  /** Oldest first; all that stand above the cut or above the cut of an open view. */
  const blocks: RecentBlock[] = []
  const views = new Set<View>()
  let { seq, number: cutNumber } = options

  function revert(ref: BlockRef): void {
    const newest = blocks.at(-1)
    if (newest?.ref.hash === ref.hash) blocks.pop()
    else assert(newest === undefined, 'the newest block goes first')
    // What the store has of this block is not to be read again, even before the store takes it back.
    cutNumber = Math.min(cutNumber, ref.number - 1)
    for (const view of views) if (view.cutNumber >= ref.number) view.isOrphaned = true
  }

  /** Forgets blocks that nobody can ask for. */
  function prune(): void {
    let keptAbove = cutNumber
    for (const view of views) keptAbove = Math.min(keptAbove, view.cutNumber)
    const kept = blocks.findIndex(({ ref }) => ref.number > keptAbove)
    blocks.splice(0, kept < 0 ? blocks.length : kept)
  }

  return {
    applied(entry, events) {
      seq += 1
      if (entry.type === 'commit') blocks.push({ seq, ref: entry.block.ref, events })
      else if (entry.type === 'revert') revert(entry.ref)
    },
    persisted(storedSeq) {
      // A block that stands and whose commit is stored has its ancestors in the store as well.
      for (const { seq: committedSeq, ref } of blocks) {
        if (committedSeq > storedSeq) break
        cutNumber = Math.max(cutNumber, ref.number)
      }
      prune()
    },
    open() {
      const view: View = { cutNumber, isOrphaned: false }
      views.add(view)
      return {
        cutNumber,
        blocks: () =>
          view.isOrphaned ? null : blocks.filter(({ ref }) => ref.number > view.cutNumber),
        close() {
          views.delete(view)
          prune()
        },
      }
    },
  }
}
