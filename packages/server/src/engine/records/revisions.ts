import { grownUncounted } from '../../lib/grown.ts'
import { uncountedBuffer } from '../../lib/uncountedBuffer.ts'

const bytesEach = Uint32Array.BYTES_PER_ELEMENT

/** How often what is known of an id has changed. Never falls, also not by a revert: whoever has made something of it can tell by the sum of several. */
export class Revisions {
  private counts = new Uint32Array(uncountedBuffer(bytesEach << 10))

  of(id: number): number {
    return this.counts[id] ?? 0
  }

  /** Ids of which nothing changes take no memory beyond those that do. */
  raise(id: number): void {
    while (id >= this.counts.length) this.counts = grownUncounted(this.counts)
    this.counts[id]! += 1
  }
}
