import { strict as assert } from 'node:assert'
import type { LogPlace } from '../../store/read/log.ts'

/**
 * Lets entries of the log through once nothing can revert them any more, in order and without those that were
 * reverted meanwhile. Knows where they are, not what they say: a chain may be far ahead of what is final.
 */
export class FinalEntries {
  /** In log order; commits and late facts that may still be reverted. */
  private pending: LogPlace[] = []
  private finalizedNumber: number
  private lastSeq: number

  /** For a reader that goes on after this entry, and knows all up to this block to be final. */
  constructor(lastSeq: number, finalizedNumber: number) {
    this.lastSeq = lastSeq
    this.finalizedNumber = finalizedNumber
  }

  /** The sequences of entries that became final with this one, oldest first. */
  put(place: LogPlace): number[] {
    const { seq, type, number, hash } = place
    assert(seq === this.lastSeq + 1, 'the log has no hole')
    this.lastSeq = seq
    if (type === 'commit' || type === 'late') this.pending.push(place)
    else if (type === 'revert') this.pending = this.pending.filter((other) => other.hash !== hash)
    if (type !== 'finalize') return this.release()
    this.finalizedNumber = number
    // Goes along: a reader that starts after it must know what is final, too.
    return [...this.release(), seq]
  }

  /** A reader that has applied all released entries goes on after this one. */
  get appliedSeq(): number {
    return (this.pending[0]?.seq ?? this.lastSeq + 1) - 1
  }

  private release(): number[] {
    let count = 0
    while (count < this.pending.length && this.pending[count]!.number <= this.finalizedNumber)
      count += 1
    return this.pending.splice(0, count).map(({ seq }) => seq)
  }
}
