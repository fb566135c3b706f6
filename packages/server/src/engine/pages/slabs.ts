import { uncountedBuffer } from '../../lib/uncountedBuffer.ts'

/**
 * Memory that the tables of an engine hand on to each other. V8 does not count it: left to be collected, what each of them gives up
 * would pile up unseen.
 */
export class Slabs {
  /** By size. */
  private readonly given = new Map<number, ArrayBufferLike[]>()
  private givenBytes = 0
  private readonly bytesMax: number

  /** So much is kept for whoever takes it. */
  constructor(bytesMax: number) {
    this.bytesMax = bytesMax
  }

  /** All zeros. */
  take(byteLength: number): ArrayBufferLike {
    const slab = this.given.get(byteLength)?.pop()
    if (slab === undefined) return uncountedBuffer(byteLength)
    this.givenBytes -= byteLength
    new Uint8Array(slab).fill(0)
    return slab
  }

  give(slab: ArrayBufferLike): void {
    const { byteLength } = slab
    if (this.givenBytes + byteLength > this.bytesMax) return
    const sameSize = this.given.get(byteLength)
    if (sameSize === undefined) this.given.set(byteLength, [slab])
    else sameSize.push(slab)
    this.givenBytes += byteLength
  }
}
