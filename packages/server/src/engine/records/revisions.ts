import { gcNeutralBuffer } from '../../lib/gcNeutralBuffer.ts'
import { doubledGcNeutral } from '../../lib/growArray.ts'

const bytesEach = Uint32Array.BYTES_PER_ELEMENT

/**
 * Number of changes to the data of each id. Never decreases, not even by a revert: a cache is
 * current while the sum of the revisions it depends on stays the same.
 */
export class Revisions {
  private counts = new Uint32Array(gcNeutralBuffer(bytesEach << 10))

  get(id: number): number {
    return this.counts[id] ?? 0
  }

  /** Memory grows only up to the highest id that ever changed. */
  increment(id: number): void {
    while (id >= this.counts.length) this.counts = doubledGcNeutral(this.counts)
    this.counts[id]! += 1
  }
}
