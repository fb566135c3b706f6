import { strict as assert } from 'node:assert'
import type { LogEntry } from '../model/logEntry.ts'

type Pending = { seq: number; entry: LogEntry }

/**
 * Lets entries of the log through once nothing can take them back any more, in order and without those that were
 * taken back meanwhile.
 */
export class FinalEntries {
  /** In log order; commits and late facts that may still be taken back. */
  private pending: Pending[] = []
  private finalizedNumber: number
  private lastSeq: number

  /** For a reader that goes on after this entry, and knows all up to this block to be final. */
  constructor(lastSeq: number, finalizedNumber: number) {
    this.lastSeq = lastSeq
    this.finalizedNumber = finalizedNumber
  }

  /** The entries that became final with this one, oldest first. */
  put(seq: number, entry: LogEntry): LogEntry[] {
    assert(seq === this.lastSeq + 1, 'the log has no hole')
    this.lastSeq = seq
    if (entry.type === 'commit' || entry.type === 'late') this.pending.push({ seq, entry })
    else if (entry.type === 'revert') this.takeBack(entry.ref.hash)
    if (entry.type !== 'finalize') return this.release()
    this.finalizedNumber = entry.ref.number
    // Goes along: a reader that starts after it must know what is final, too.
    return [...this.release(), entry]
  }

  /** A reader that has applied all released entries goes on after this one. */
  get appliedSeq(): number {
    return (this.pending[0]?.seq ?? this.lastSeq + 1) - 1
  }

  private takeBack(hash: string): void {
    this.pending = this.pending.filter(({ entry }) => refOf(entry).hash !== hash)
  }

  private release(): LogEntry[] {
    let count = 0
    while (count < this.pending.length && this.isFinal(this.pending[count]!.entry)) count += 1
    return this.pending.splice(0, count).map(({ entry }) => entry)
  }

  private isFinal(entry: LogEntry): boolean {
    return refOf(entry).number <= this.finalizedNumber
  }
}

function refOf(entry: LogEntry): { number: number; hash: string } {
  assert(entry.type === 'commit' || entry.type === 'late')
  return entry.type === 'commit' ? entry.block.ref : entry.facts.ref
}
