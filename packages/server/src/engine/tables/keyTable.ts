import type { Imaged } from '../pages/imaged.ts'
import { grownWords, imageBytes, wordsOf } from '../pages/imageFields.ts'
import type { PageBudget } from '../pages/pageBudget.ts'
import { PageFrames } from '../pages/pageFrames.ts'

/** Pages of 12 KB: with more and smaller ones adding takes longer. */
const slotBits = 10
const slotCount = 1 << slotBits
const slotMask = slotCount - 1
/** Words of a slot: its value, 0 while it is empty, and both halves of its key. */
const slotWidth = 3
const slotWords = slotCount * slotWidth
/** Words behind the slots: how many are taken, and the page in which a bucket goes on; 0: in none. */
const takenAt = slotWords
const nextAt = slotWords + 1
const pageBytes = (slotWords + 2) * Int32Array.BYTES_PER_ELEMENT
/** Large enough for malloc to ask for huge pages. */
const slabBytes = 1 << 22
/** Some slots stay empty: whoever seeks a key stops at one. */
const takenMax = slotCount - 8
/** Keys for each bucket. Those that wait for their split have up to twice as many, which a page still holds. */
const bucketKeys = Math.floor(0.4 * slotCount)
const firstBuckets = 1 << 4
const high32 = 2 ** 32

/** A page while its keys are placed again. */
const scratch = new Int32Array(pageBytes / Int32Array.BYTES_PER_ELEMENT)

/**
 * Numbers by keys that are whole doubles, by linear hashing: a bucket is a page of slots in open addressing, and pages behind it
 * where more keys meet than it holds. As keys come, one bucket after another is split, so that no key ever waits for all others to
 * be placed again.
 */
export class KeyTable implements Imaged {
  readonly name: string
  private readonly pages = new PageFrames({
    pageBytes,
    slabBytes,
    viewOf: (slab, byteOffset, byteLength) =>
      new Int32Array(slab, byteOffset, byteLength / Int32Array.BYTES_PER_ELEMENT),
  })
  private count = 0
  private buckets = 1
  /** Takes a hash to its bucket, or to that which its bucket will be split from. */
  private mask = 1
  /** By bucket; the first has the page that is pinned. */
  private firstPages: Uint32Array = new Uint32Array(firstBuckets)
  /** The first of the pages that are free, each of which names the next; 0: there is none. */
  private freePage = 0

  constructor(name: string, memory: PageBudget) {
    this.name = name
    this.pages.push()
    memory.add(name, this.pages, 'index')
  }

  /** 0: the key is not here. */
  get(key: number): number {
    const low = key | 0
    const high = (key / high32) | 0
    const hash = hashOf(low, high)
    let page = this.pages.page(this.firstPageOf(hash))
    for (;;) {
      const value = page[slotOf(page, hash, low, high)]!
      if (value !== 0) return value >>> 0
      const next = page[nextAt]!
      if (next === 0) return 0
      page = this.pages.page(next)
    }
  }

  /** Any value of 32 bits but 0. */
  set(key: number, value: number): void {
    this.put(key, value, true)
  }

  /** Unless the key is here: gives what it has, 0 where it was added. */
  add(key: number, value: number): number {
    return this.put(key, value, false)
  }

  delete(key: number): void {
    const low = key | 0
    const high = (key / high32) | 0
    const hash = hashOf(low, high)
    let before: Int32Array | null = null
    for (let number = this.firstPageOf(hash); ; ) {
      const page = this.pages.page(number)
      const at = slotOf(page, hash, low, high)
      const next = page[nextAt]!
      if (page[at] !== 0) {
        this.count -= 1
        page[takenAt]! -= 1
        empty(page, at / slotWidth)
        if (page[takenAt] !== 0 || before === null) return
        before[nextAt] = next
        this.release(number)
        return
      }
      if (next === 0) return
      before = page
      number = next
    }
  }

  imageFields(): ReadonlyMap<string, Uint8Array> {
    return new Map([
      ['counts', imageBytes(Uint32Array.of(this.count, this.freePage))],
      ['firstPages', imageBytes(this.firstPages.subarray(0, this.buckets))],
    ])
  }

  fillFrom(fields: ReadonlyMap<string, Uint8Array>): void {
    const [count, freePage] = wordsOf(fields, 'counts')
    const firstPages = wordsOf(fields, 'firstPages')
    this.count = count!
    this.freePage = freePage!
    this.buckets = firstPages.length
    while (this.mask < this.buckets) this.mask = this.mask * 2 + 1
    while (this.firstPages.length < this.buckets) this.firstPages = grownWords(this.firstPages)
    this.firstPages.set(firstPages)
  }

  private firstPageOf(hash: number): number {
    const { mask } = this
    const bucket = hash & mask
    return this.firstPages[bucket < this.buckets ? bucket : bucket & (mask >>> 1)]!
  }

  /** Gives what the key had. */
  private put(key: number, value: number, isReplaced: boolean): number {
    const low = key | 0
    const high = (key / high32) | 0
    const hash = hashOf(low, high)
    const first = this.firstPageOf(hash)
    let page = this.pages.page(first)
    for (;;) {
      const at = slotOf(page, hash, low, high)
      const held = page[at]!
      if (held !== 0) {
        if (isReplaced) page[at] = value
        return held >>> 0
      }
      const next = page[nextAt]!
      if (next === 0) break
      page = this.pages.page(next)
    }
    this.place(first, hash, low, high, value)
    this.count += 1
    if (this.count > this.buckets * bucketKeys) this.split()
    return 0
  }

  /** Of a key that the bucket does not have. */
  private place(first: number, hash: number, low: number, high: number, value: number): void {
    let page = this.pages.page(first)
    while (page[takenAt] === takenMax) {
      if (page[nextAt] === 0) page[nextAt] = this.takePage()
      page = this.pages.page(page[nextAt]!)
    }
    const at = slotOf(page, hash, low, high)
    page[at] = value
    page[at + 1] = low
    page[at + 2] = high
    page[takenAt]! += 1
  }

  /** The next bucket in order into itself and one more. */
  private split(): void {
    const added = this.buckets
    const first = this.firstPages[added & (this.mask >>> 1)]!
    if (added === this.firstPages.length) this.firstPages = grownWords(this.firstPages)
    this.firstPages[added] = this.takePage()
    this.buckets = added + 1
    if (added === this.mask) this.mask = this.mask * 2 + 1
    // Keys go into pages that are free by now, never into one that is still to be gone through.
    let number = first
    do {
      const page = this.pages.page(number)
      scratch.set(page)
      if (number === first) page.fill(0)
      else this.release(number)
      for (let at = 0; at < slotWords; at += slotWidth) {
        if (scratch[at] === 0) continue
        const low = scratch[at + 1]!
        const high = scratch[at + 2]!
        const hash = hashOf(low, high)
        this.place(this.firstPageOf(hash), hash, low, high, scratch[at]!)
      }
      number = scratch[nextAt]!
    } while (number !== 0)
  }

  /** One that is all zeros. */
  private takePage(): number {
    const number = this.freePage
    if (number === 0) {
      this.pages.push()
      return this.pages.count - 1
    }
    const page = this.pages.page(number)
    this.freePage = page[nextAt]!
    page[nextAt] = 0
    return number
  }

  private release(number: number): void {
    const page = this.pages.page(number)
    page.fill(0)
    page[nextAt] = this.freePage
    this.freePage = number
  }
}

/** What comes behind moves up, unless it would be before its own place. */
function empty(page: Int32Array, slot: number): void {
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

/** Where the key is in a page, or the empty slot in which it would be. Buckets are told apart by the other end of the hash. */
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
