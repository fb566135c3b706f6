import { doubled } from '../../lib/growArray.ts'

/**
 * A set of dense ids that is filled and cleared repeatedly without garbage: one bit per id, and a
 * list in insertion order.
 */
export class IdSet {
  private bits = new Uint32Array(1)
  private ids = new Uint32Array(1)
  private count = 0

  get size(): number {
    return this.count
  }

  has(id: number): boolean {
    const word = this.bits[id >>> 5]
    return word !== undefined && (word & (1 << (id & 31))) !== 0
  }

  /** Adds an id, which must not be in the set. */
  add(id: number): void {
    const at = id >>> 5
    if (at >= this.bits.length) this.bits = doubled(this.bits, at + 1)
    this.bits[at]! |= 1 << (id & 31)
    if (this.count === this.ids.length) this.ids = doubled(this.ids, this.count + 1)
    this.ids[this.count] = id
    this.count += 1
  }

  /**
   * Returns the ids between two positions in insertion order; valid until the set is filled again.
   */
  slice(from: number, to: number): Uint32Array {
    return this.ids.subarray(from, to)
  }

  /** Clears the set in time proportional to its size, however large the ids are. */
  clear(): void {
    for (let index = 0; index < this.count; index += 1) this.bits[this.ids[index]! >>> 5] = 0
    this.count = 0
  }
}
