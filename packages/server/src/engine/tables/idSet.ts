import { grown } from '../../lib/grown.ts'

/** A set of dense ids that is filled and cleared again and again without garbage: a bit for each, and a list. */
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

  /** An id that is not in it. */
  add(id: number): void {
    const at = id >>> 5
    if (at >= this.bits.length) this.bits = grown(this.bits, at + 1)
    this.bits[at]! |= 1 << (id & 31)
    if (this.count === this.ids.length) this.ids = grown(this.ids, this.count + 1)
    this.ids[this.count] = id
    this.count += 1
  }

  /** In the order they were added, from one place up to another. Good until the set is filled again. */
  slice(from: number, to: number): Uint32Array {
    return this.ids.subarray(from, to)
  }

  /** Takes as long as what is in it, however large the ids are. */
  clear(): void {
    for (let index = 0; index < this.count; index += 1) this.bits[this.ids[index]! >>> 5] = 0
    this.count = 0
  }
}
