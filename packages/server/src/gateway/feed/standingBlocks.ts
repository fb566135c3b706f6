import type { BlockRef } from '../../model/block.ts'
import type { LogEntry } from '../../model/logEntry.ts'
import type { MarketEvent } from '../../model/marketEvent.ts'

/** A block of the log and what the engine made of it. */
export type StandingBlock = {
  ref: BlockRef
  receivedMs: number
  events: readonly MarketEvent[]
}

/** The newest blocks that stand while a log is read: those that can still be taken back. */
export class StandingBlocks {
  private readonly countMax: number
  private blocks: StandingBlock[] = []

  constructor(countMax: number) {
    this.countMax = countMax
  }

  applied(entry: LogEntry, events: readonly MarketEvent[]): void {
    if (entry.type === 'revert') this.blocks.pop()
    if (entry.type !== 'commit') return
    const { ref, receivedMs } = entry.block
    this.blocks.push({ ref, receivedMs, events })
    // Twice as many may stand here for a moment: moving them for each block would cost more.
    if (this.blocks.length > this.countMax * 2) this.blocks = this.newest()
  }

  /** Oldest first. */
  newest(): StandingBlock[] {
    return this.blocks.slice(-this.countMax)
  }
}
