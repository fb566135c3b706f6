import type { ImagePart } from '../pages/imagePart.ts'
import { doubledWords, imageBytes, imageWords } from '../pages/imagePart.ts'
import type { MarketMemory } from '../pages/marketMemory.ts'
import { Pages } from '../pages/pages.ts'

/**
 * Slots of a page as a power of two; a page has 12 KB. With more and smaller pages adding takes
 * longer.
 */
const slotBits = 10
const slotCount = 1 << slotBits
const slotMask = slotCount - 1
/** Words per slot: its value (0 if empty) and both halves of its key. */
const slotWidth = 3
const slotWords = slotCount * slotWidth
/**
 * Words after the slots: the number of used slots, and the page that continues the bucket (0 if
 * none).
 */
const takenAt = slotWords
const nextAt = slotWords + 1
const pageBytes = (slotWords + 2) * Int32Array.BYTES_PER_ELEMENT
/** Some slots always stay empty, because a search ends at the first empty slot. */
const takenMax = slotCount - 8
/**
 * Average number of keys per bucket before a bucket is split. A bucket waiting for its split has up
 * to twice as many, which still fit into one page.
 */
const bucketKeys = Math.floor(0.4 * slotCount)
const firstBuckets = 1 << 4
const high32 = 2 ** 32

/** Copy of a page while its keys are distributed over two buckets. */
const scratch = new Int32Array(pageBytes / Int32Array.BYTES_PER_ELEMENT)

/**
 * Hash table from whole doubles to 32-bit numbers, by linear hashing. A bucket is a page of slots
 * with open addressing, continued on overflow pages if it is full. As keys are added, one bucket
 * after another is split, so that no insertion ever waits for a rehash of the whole table.
 */
export class KeyTable implements ImagePart {
  readonly name: string
  readonly #pages = new Pages({
    pageBytes,
    viewOf: (buffer, byteOffset, byteLength) =>
      new Int32Array(buffer, byteOffset, byteLength / Int32Array.BYTES_PER_ELEMENT),
  })
  #keyCount = 0
  #bucketCount = 1
  /**
   * Mask that maps a hash to its bucket, or to a bucket that does not exist yet; half the mask then
   * gives the bucket to be split.
   */
  #mask = 1
  /** First page of each bucket. Bucket 0 starts in the page that is never evicted. */
  #firstPages: Uint32Array = new Uint32Array(firstBuckets)
  /** First free page, each of which stores the next one; 0 if there are none. */
  #freePage = 0

  constructor(name: string, memory: MarketMemory) {
    this.name = name
    this.#pages.push()
    memory.add(name, this.#pages, 'index')
  }

  /** Value of a key; 0 if the table lacks it. */
  get(key: number): number {
    const low = key | 0
    const high = (key / high32) | 0
    const hash = hashOf(low, high)
    let page = this.#pages.page(this.#firstPageOf(hash))
    for (;;) {
      const value = page[slotOf(page, hash, low, high)]!
      if (value !== 0) return value >>> 0
      const next = page[nextAt]!
      if (next === 0) return 0
      page = this.#pages.page(next)
    }
  }

  /** Sets the value of a key to any 32-bit number except 0. */
  set(key: number, value: number): void {
    this.#insert(key, value, true)
  }

  /**
   * Adds the key unless the table has it. Returns the existing value, or 0 if the key was added.
   */
  add(key: number, value: number): number {
    return this.#insert(key, value, false)
  }

  delete(key: number): void {
    const low = key | 0
    const high = (key / high32) | 0
    const hash = hashOf(low, high)
    let before: Int32Array | null = null
    for (let number = this.#firstPageOf(hash); ; ) {
      const page = this.#pages.page(number)
      const at = slotOf(page, hash, low, high)
      const next = page[nextAt]!
      if (page[at] !== 0) {
        this.#keyCount -= 1
        page[takenAt]! -= 1
        emptySlot(page, at / slotWidth)
        if (page[takenAt] !== 0 || before === null) return
        before[nextAt] = next
        this.#release(number)
        return
      }
      if (next === 0) return
      before = page
      number = next
    }
  }

  imageFields(): ReadonlyMap<string, Uint8Array> {
    return new Map([
      ['counts', imageBytes(Uint32Array.of(this.#keyCount, this.#freePage))],
      ['firstPages', imageBytes(this.#firstPages.subarray(0, this.#bucketCount))],
    ])
  }

  fillFromImage(fields: ReadonlyMap<string, Uint8Array>): void {
    const [count, freePage] = imageWords(fields, 'counts')
    const firstPages = imageWords(fields, 'firstPages')
    this.#keyCount = count!
    this.#freePage = freePage!
    this.#bucketCount = firstPages.length
    while (this.#mask < this.#bucketCount) this.#mask = this.#mask * 2 + 1
    while (this.#firstPages.length < this.#bucketCount)
      this.#firstPages = doubledWords(this.#firstPages)
    this.#firstPages.set(firstPages)
  }

  #firstPageOf(hash: number): number {
    const mask = this.#mask
    const bucket = hash & mask
    return this.#firstPages[bucket < this.#bucketCount ? bucket : bucket & (mask >>> 1)]!
  }

  /** Returns the value that the key had before; 0 if the key is new. */
  #insert(key: number, value: number, isReplaced: boolean): number {
    const low = key | 0
    const high = (key / high32) | 0
    const hash = hashOf(low, high)
    const first = this.#firstPageOf(hash)
    let page = this.#pages.page(first)
    for (;;) {
      const at = slotOf(page, hash, low, high)
      const held = page[at]!
      if (held !== 0) {
        if (isReplaced) page[at] = value
        return held >>> 0
      }
      const next = page[nextAt]!
      if (next === 0) break
      page = this.#pages.page(next)
    }
    this.#placeKey(first, hash, low, high, value)
    this.#keyCount += 1
    if (this.#keyCount > this.#bucketCount * bucketKeys) this.#split()
    return 0
  }

  /** Inserts a key that its bucket does not contain. `first` is the bucket's first page. */
  #placeKey(first: number, hash: number, low: number, high: number, value: number): void {
    let page = this.#pages.page(first)
    while (page[takenAt] === takenMax) {
      if (page[nextAt] === 0) page[nextAt] = this.#takePage()
      page = this.#pages.page(page[nextAt]!)
    }
    const at = slotOf(page, hash, low, high)
    page[at] = value
    page[at + 1] = low
    page[at + 2] = high
    page[takenAt]! += 1
  }

  /** Splits the next bucket in order into itself and a new last bucket. */
  #split(): void {
    const added = this.#bucketCount
    const first = this.#firstPages[added & (this.#mask >>> 1)]!
    if (added === this.#firstPages.length) this.#firstPages = doubledWords(this.#firstPages)
    this.#firstPages[added] = this.#takePage()
    this.#bucketCount = added + 1
    if (added === this.#mask) this.#mask = this.#mask * 2 + 1
    // Keys move only to pages that were emptied already, never to a page that the loop has yet to
    // read.
    let number = first
    do {
      const page = this.#pages.page(number)
      scratch.set(page)
      if (number === first) page.fill(0)
      else this.#release(number)
      for (let at = 0; at < slotWords; at += slotWidth) {
        if (scratch[at] === 0) continue
        const low = scratch[at + 1]!
        const high = scratch[at + 2]!
        const hash = hashOf(low, high)
        this.#placeKey(this.#firstPageOf(hash), hash, low, high, scratch[at]!)
      }
      number = scratch[nextAt]!
    } while (number !== 0)
  }

  /** Returns a page of zeros. */
  #takePage(): number {
    const number = this.#freePage
    if (number === 0) {
      this.#pages.push()
      return this.#pages.count - 1
    }
    const page = this.#pages.page(number)
    this.#freePage = page[nextAt]!
    page[nextAt] = 0
    return number
  }

  #release(number: number): void {
    const page = this.#pages.page(number)
    page.fill(0)
    page[nextAt] = this.#freePage
    this.#freePage = number
  }
}

/** Empties a slot: moves later entries up, but never before the slot of their own hash. */
function emptySlot(page: Int32Array, slot: number): void {
  let hole = slot
  for (let next = (slot + 1) & slotMask; ; next = (next + 1) & slotMask) {
    const at = next * slotWidth
    if (page[at] === 0) break
    const home = hashOf(page[at + 1]!, page[at + 2]!) >>> (32 - slotBits)
    if (((next - home) & slotMask) < ((next - hole) & slotMask)) continue
    page.copyWithin(hole * slotWidth, at, at + slotWidth)
    hole = next
  }
  page[hole * slotWidth] = 0
}

/**
 * Returns the slot of a key within a page, or the empty slot where it belongs. Uses the upper bits
 * of the hash; buckets are chosen by the lower ones.
 */
function slotOf(page: Int32Array, hash: number, low: number, high: number): number {
  let at = (hash >>> (32 - slotBits)) * slotWidth
  while (page[at] !== 0 && (page[at + 1] !== low || page[at + 2] !== high)) {
    at += slotWidth
    if (at === slotWords) at = 0
  }
  return at
}

function hashOf(low: number, high: number): number {
  let hash = Math.imul(low, 0x9e3779b1) ^ Math.imul(high, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d)
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b)
  return hash ^ (hash >>> 16)
}
