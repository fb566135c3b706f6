import { grownUncounted } from '../../lib/grown.ts'
import { uncountedBuffer } from '../../lib/uncountedBuffer.ts'

const bytesEach = Uint32Array.BYTES_PER_ELEMENT

/**
 * Number of changes to the data of each id. Never decreases, not even by a revert: a cache is
 * current while the sum of the revisions it depends on stays the same.
 */
export class Revisions {
  private counts = new Uint32Array(uncountedBuffer(bytesEach << 10))

  of(id: number): number {
    return this.counts[id] ?? 0
  }

  /** Memory grows only up to the highest id that ever changed. */
  raise(id: number): void {
    while (id >= this.counts.length) this.counts = grownUncounted(this.counts)
    this.counts[id]! += 1
  }
}
