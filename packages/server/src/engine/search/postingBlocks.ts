import assert from 'node:assert'
import type { ImagePart } from '../pages/imagePart.ts'
import { imageBytes, imageWords } from '../pages/imagePart.ts'
import type { MarketMemory } from '../pages/marketMemory.ts'
import { Pages } from '../pages/pages.ts'

/**
 * Words of a page as a power of two; a page has 16 KB. With more and smaller pages adding takes
 * longer.
 */
const pageShift = 12
const pageWords = 1 << pageShift
const pageMask = pageWords - 1
const wordBytes = 4
/**
 * Smallest and largest block, as powers of two of words. Larger blocks take longer to search,
 * smaller ones make longer chains.
 */
const smallestSize = 2
const largestSize = 9
/**
 * Words of a block before its bytes: the next block, its first id, and the bytes in use with its
 * size.
 */
const headWords = 3
const usedShift = 4
const sizeMask = 15
/** Maximum number of ids in a block: the first id takes no byte, every other at least one. */
export const blockIdsMax = ((1 << largestSize) - headWords) * wordBytes + 1

/** Decoded ids of a block while it is searched or changed. */
const scratch = new Uint32Array(blockIdsMax + 1)

/**
 * Lists of ascending ids in chained blocks. A block stores its first id in full, then differences
 * between neighbors in variable-length bytes. A block is identified by its position in words of 4
 * bytes; 0 means none. The only block of a list grows; blocks of a longer list have full size, so
 * none of them ever moves.
 */
export class PostingBlocks implements ImagePart {
  readonly name: string
  readonly #pages = new Pages({
    pageBytes: pageWords * wordBytes,
    viewOf: (buffer, byteOffset, byteLength) =>
      new Uint32Array(buffer, byteOffset, byteLength / wordBytes),
  })
  /**
   * Position after the last block. The first words stay unused, so that the rest of a page is
   * always a whole number of blocks.
   */
  #end = 1 << smallestSize
  /** Indexed by size: first free block of that size. Each free block stores the next one. */
  readonly #free = new Uint32Array(largestSize + 1)

  constructor(name: string, memory: MarketMemory) {
    this.name = name
    this.#pages.push()
    memory.add(name, this.#pages, 'index')
  }

  imageFields(): ReadonlyMap<string, Uint8Array> {
    return new Map([
      ['end', imageBytes(Uint32Array.of(this.#end))],
      ['free', imageBytes(this.#free)],
    ])
  }

  fillFromImage(fields: ReadonlyMap<string, Uint8Array>): void {
    this.#end = imageWords(fields, 'end')[0]!
    this.#free.set(imageWords(fields, 'free'))
  }

  /** Creates a block with one id. */
  create(id: number): number {
    return this.#take(smallestSize, id)
  }

  next(block: number): number {
    return this.#page(block)[block & pageMask]!
  }

  firstId(block: number): number {
    return this.#page(block)[(block & pageMask) + 1]!
  }

  /**
   * Appends an id above all others to a list's last block. Returns the new last block: the same, a
   * larger copy, or a new one after it.
   */
  append(block: number, lastId: number, id: number): number {
    const delta = id - lastId
    let last = block
    for (;;) {
      const page = this.#page(last)
      const at = last & pageMask
      const head = page[at + 2]!
      const used = head >>> usedShift
      if (used + deltaBytes(delta) <= capacityOf(head & sizeMask)) {
        const start = (at + headWords) * wordBytes
        const end = writeDelta(page, start + used, delta)
        page[at + 2] = ((end - start) << usedShift) + (head & sizeMask)
        return last
      }
      if ((head & sizeMask) === largestSize) {
        const added = this.#take(largestSize, id)
        page[at] = added
        return added
      }
      last = this.#grow(last)
    }
  }

  /** Decodes the ids of a block into `to`. Returns their number. */
  read(block: number, to: Uint32Array): number {
    const page = this.#page(block)
    const at = block & pageMask
    let from = (at + headWords) * wordBytes
    const end = from + (page[at + 2]! >>> usedShift)
    let id = page[at + 1]!
    let count = 1
    to[0] = id
    while (from < end) {
      let byte = byteAt(page, from)
      from += 1
      let delta = byte & 0x7f
      for (let shift = 7; byte >= 0x80; shift += 7) {
        byte = byteAt(page, from)
        from += 1
        delta += (byte & 0x7f) * 2 ** shift
      }
      id += delta
      to[count] = id
      count += 1
    }
    return count
  }

  /**
   * Inserts an id between others. Returns the resulting block: a larger copy if it had to grow. A
   * block of full size is split, and a new block with the second half follows.
   */
  insert(block: number, id: number): number {
    const count = this.read(block, scratch)
    let at = count
    while (at > 0 && scratch[at - 1]! > id) at -= 1
    scratch.copyWithin(at + 1, at, count)
    scratch[at] = id
    return this.#write(block, count + 1)
  }

  /**
   * Removes an id that is in the block. Returns false, without removing it, if it is the only one.
   */
  remove(block: number, id: number): boolean {
    const count = this.read(block, scratch)
    if (count === 1) return false
    const at = scratch.subarray(0, count).indexOf(id)
    scratch.copyWithin(at, at + 1, count)
    this.#write(block, count - 1)
    return true
  }

  link(block: number, next: number): void {
    this.#page(block)[block & pageMask] = next
  }

  release(block: number): void {
    const size = this.#sizeOf(block)
    this.link(block, this.#free[size]!)
    this.#free[size] = block
  }

  #mayGrow(block: number): boolean {
    return this.#sizeOf(block) < largestSize
  }

  /** Moves a block to one of twice the size and frees the old one. */
  #grow(block: number): number {
    const from = this.#page(block)
    const at = block & pageMask
    const size = from[at + 2]! & sizeMask
    const larger = this.#take(size + 1, from[at + 1]!)
    const to = this.#page(larger)
    const toAt = larger & pageMask
    for (let word = 0; word < 1 << size; word += 1) to[toAt + word] = from[at + word]!
    to[toAt + 2] = from[at + 2]! + 1
    this.release(block)
    return larger
  }

  /**
   * Replaces the ids of a block by those in `scratch`, growing or splitting it. Returns the first
   * block.
   */
  #write(block: number, count: number): number {
    let bytes = 0
    for (let index = 1; index < count; index += 1)
      bytes += deltaBytes(scratch[index]! - scratch[index - 1]!)
    let into = block
    while (bytes > capacityOf(this.#sizeOf(into)) && this.#mayGrow(into)) into = this.#grow(into)
    if (bytes <= capacityOf(this.#sizeOf(into))) {
      this.#fill(into, 0, count)
      return into
    }
    const half = count >> 1
    const behind = this.#take(largestSize, scratch[half]!)
    this.link(behind, this.next(into))
    this.link(into, behind)
    this.#fill(into, 0, half)
    this.#fill(behind, half, count)
    return into
  }

  #fill(block: number, from: number, to: number): void {
    const page = this.#page(block)
    const at = block & pageMask
    const start = (at + headWords) * wordBytes
    let end = start
    for (let index = from + 1; index < to; index += 1)
      end = writeDelta(page, end, scratch[index]! - scratch[index - 1]!)
    page[at + 1] = scratch[from]!
    page[at + 2] = ((end - start) << usedShift) + (page[at + 2]! & sizeMask)
  }

  #take(size: number, firstId: number): number {
    let block = this.#free[size]!
    if (block !== 0) this.#free[size] = this.next(block)
    else {
      if (this.#end + (1 << size) > this.#pages.count * pageWords) this.#addPage()
      block = this.#end
      this.#end += 1 << size
    }
    const page = this.#page(block)
    const at = block & pageMask
    page[at] = 0
    page[at + 1] = firstId
    page[at + 2] = size
    return block
  }

  /**
   * Adds a page. The rest of the last page becomes smaller free blocks, because a block never spans
   * two pages.
   */
  #addPage(): void {
    const end = this.#pages.count * pageWords
    assert(end + pageWords < 2 ** 32, 'postings are no more than 32 bits reach')
    for (let size = largestSize; size >= smallestSize; size -= 1) {
      if (this.#end + (1 << size) > end) continue
      this.#page(this.#end)[(this.#end & pageMask) + 2] = size
      this.release(this.#end)
      this.#end += 1 << size
    }
    this.#pages.push()
  }

  #sizeOf(block: number): number {
    return this.#page(block)[(block & pageMask) + 2]! & sizeMask
  }

  #page(block: number): Uint32Array {
    return this.#pages.page(block >>> pageShift)
  }
}

function capacityOf(size: number): number {
  return ((1 << size) - headWords) * wordBytes
}

function deltaBytes(delta: number): number {
  if (delta < 0x80) return 1
  if (delta < 0x4000) return 2
  if (delta < 0x200000) return 3
  return delta < 0x10000000 ? 4 : 5
}

function writeDelta(page: Uint32Array, from: number, delta: number): number {
  let at = from
  let rest = delta
  while (rest >= 0x80) {
    writeByte(page, at, (rest & 0x7f) | 0x80)
    at += 1
    rest = Math.floor(rest / 0x80)
  }
  writeByte(page, at, rest)
  return at + 1
}

// Reads bytes out of words, lowest first: a second view of each page would cost one more memory
// access.
function byteAt(page: Uint32Array, at: number): number {
  return (page[at >>> 2]! >>> ((at & 3) << 3)) & 0xff
}

function writeByte(page: Uint32Array, at: number, byte: number): void {
  const shift = (at & 3) << 3
  page[at >>> 2] = (page[at >>> 2]! & ~(0xff << shift)) | (byte << shift)
}
