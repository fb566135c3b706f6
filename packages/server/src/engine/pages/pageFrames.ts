import assert from 'node:assert'
import { gcNeutralBuffer } from '../../lib/gcNeutralBuffer.ts'

/** Stores pages that are not in memory, in a file or an image. */
export type PageStore = {
  /** Reads the content of a page as it was last written. */
  read(page: number, to: Uint8Array): void
  write(page: number, from: Uint8Array): void
}

/** A page in memory, as a typed array. */
export type PageView = {
  readonly buffer: ArrayBufferLike
  readonly byteOffset: number
  readonly byteLength: number
  fill(value: number): unknown
}

export type FramesOptions<page> = {
  pageBytes: number
  /** Size of the slabs in which memory for pages is allocated. The first slabs are smaller. */
  slabBytes: number
  /** Size of a page until pages are divided, a multiple of `pageBytes`. @default pageBytes */
  undividedBytes?: number | undefined
  /** Returns a view of a part of a slab as a page. */
  viewOf(slab: ArrayBufferLike, byteOffset: number, byteLength: number): page
}

/**
 * Write state of all pages. Pages change only while a write is under way, so a page loaded between
 * two writes equals its stored content.
 */
export type WriteState = { count: number; isUnderWay: boolean }

/** Where the newest stored content of a page is. */
const stored = { nowhere: 0, base: 1, file: 2 } as const
/** Page number of a frame that holds no page. */
const noPage = -1
/** Write count of a page that may have been written since it was loaded. */
const maybeWritten = -1
/** The first page always stays in the first frame, because tables have their header there. */
const pinnedPages = 1
const firstEntries = 1 << 4
const countedBytesMax = 1 << 20
const firstSlabBytes = 1 << 14

/**
 * Pages of bytes, each in a frame (a slot of memory) while it is in memory. Only `evict` frees
 * frames; until then a page stays at its address, whatever else is read.
 */
export class PageFrames<page extends PageView = PageView> {
  /** Current size of a page. */
  pageBytes: number
  /** Number of pages in memory. */
  residentCount = 0
  /** Called when a page is loaded into memory. */
  onLoad: (() => void) | null = null
  /**
   * Called when large pages are divided into pages of the final size; returns the number of pages
   * in use.
   */
  onDivide: (() => number) | null = null
  /** Pages indexed by number; undefined if not in memory. Other classes may only read the list. */
  readonly pages: (page | undefined)[] = []
  private readonly frames: page[] = []
  private pageOfFrame = new Int32Array(firstEntries).fill(noPage)
  /** Number of announced writes when each frame's page was loaded. */
  private writesAtLoad = new Int32Array(firstEntries).fill(maybeWritten)
  /**
   * Write state shared with the budget. Until writes are announced, pages may change at any time.
   */
  private writes: WriteState = { count: 0, isUnderWay: true }
  private free: number[] = []
  private readonly options: FramesOptions<page>
  /** Slabs in the order of their frames; the first ones are smaller. */
  private readonly slabs: ArrayBufferLike[] = []
  private shared = new SlabPool(0)
  private evictionHand = 0
  private file: PageStore | null = null
  /** Pages written earlier, such as an image, which never change. */
  private base: PageStore | null = null
  /** Where each page is stored, by page number. */
  private storedIn = new Uint8Array(firstEntries)
  private readonly compareBuffer: Uint8Array

  constructor(options: FramesOptions<page>) {
    this.options = options
    this.pageBytes = options.undividedBytes ?? options.pageBytes
    this.compareBuffer = new Uint8Array(options.pageBytes)
  }

  /** Takes free slabs from a shared pool and returns them to it. */
  shareSlabs(shared: SlabPool): void {
    this.shared = shared
  }

  /** Sets the write state shared by all tables, which shows when pages may change. */
  shareWriteState(writes: WriteState): void {
    this.writes = writes
  }

  /** Number of existing pages. */
  get count(): number {
    return this.pages.length
  }

  /** Number of frames, with or without a page. */
  get frameCount(): number {
    return this.frames.length
  }

  /** Returns a page, loading it into memory if needed. */
  page(number: number): page {
    return this.pages[number] ?? this.load(number)
  }

  /**
   * True while pages are large, few and never evicted. Finding a page then costs one array access.
   */
  get isUndivided(): boolean {
    return this.pageBytes !== this.options.pageBytes
  }

  /** Adds a page of zeros. */
  push(): void {
    const page = this.placePage(this.pages.length, this.takeFrame())
    // A new slab is zero already; filling it would touch memory that nothing needs yet.
    if (this.file !== null || this.base !== null) page.fill(0)
  }

  /**
   * Splits each large page into small ones over the same memory. Small pages can be evicted one by
   * one.
   */
  divide(): void {
    if (!this.isUndivided) return
    const wholeBytes = this.pageBytes
    this.pageBytes = this.options.pageBytes
    const perWhole = wholeBytes / this.pageBytes
    const count = this.onDivide?.() ?? this.pages.length * perWhole
    this.pages.length = 0
    this.frames.length = 0
    this.residentCount = 0
    this.pageOfFrame.fill(noPage)
    this.free = []
    for (const slab of this.slabs) {
      const from = this.frames.length
      this.addFrames(slab)
      const end = from + Math.floor(slab.byteLength / wholeBytes) * perWhole
      for (let frame = from; frame < this.frames.length; frame += 1)
        if (frame < end && this.pages.length < count) this.placePage(this.pages.length, frame)
        else this.free.push(frame)
    }
    this.free.reverse()
  }

  /** Replaces the only page by the pages of an image, which are read on demand. */
  adoptBase(count: number, base: PageStore): void {
    this.divide()
    assert(this.pages.length === pinnedPages && count >= pinnedPages, 'there is nothing yet')
    base.read(0, bytesOf(this.pages[0]!))
    this.base = base
    this.storedIn = new Uint8Array(count + firstEntries).fill(stored.base, pinnedPages, count)
    while (this.pages.length < count) this.pages.push(undefined)
  }

  /**
   * Copies a page from memory or disk without loading it. `to` may be shorter if the page is in
   * memory.
   */
  copyPage(number: number, to: Uint8Array): void {
    const page = this.pages[number]
    if (page === undefined) this.read(number, to)
    else to.set(bytesOf(page).subarray(0, to.length))
  }

  /**
   * Frees `count` frames, in rotation, and writes their pages to the file if they changed. Other
   * pages may move.
   */
  evict(count: number, file: PageStore): void {
    this.file = file
    for (let [left, turns] = [count, this.frames.length]; left > 0 && turns > 0; turns -= 1) {
      const frame = this.evictionHand
      const number = this.pageOfFrame[frame]!
      if (number >= pinnedPages) {
        const bytes = bytesOf(this.frames[frame]!)
        // Most pages were only read and need no write.
        if (!this.isUnwritten(frame) && !this.isStored(number, bytes)) {
          file.write(number, bytes)
          this.storedIn[number] = stored.file
        }
        this.pages[number] = undefined
        this.pageOfFrame[frame] = noPage
        this.free.push(frame)
        this.residentCount -= 1
        left -= 1
      }
      this.evictionHand = (frame + 1) % this.frames.length
    }
    this.returnUnusedSlabs()
  }

  /** Loads a page that is not in memory. */
  load(number: number): page {
    const frame = this.takeFrame()
    try {
      this.read(number, bytesOf(this.frames[frame]!))
    } catch (error) {
      // Frees the frame: its old content must not be taken for the page.
      this.free.push(frame)
      throw error
    }
    this.onLoad?.()
    const page = this.placePage(number, frame)
    if (!this.writes.isUnderWay) this.writesAtLoad[frame] = this.writes.count
    return page
  }

  private read(number: number, to: Uint8Array): void {
    const from = this.storedIn[number] === stored.base ? this.base : this.file
    from!.read(number, to)
  }

  /** True if the page in the frame cannot have changed since it was loaded. */
  private isUnwritten(frame: number): boolean {
    return !this.writes.isUnderWay && this.writesAtLoad[frame] === this.writes.count
  }

  /** True if the stored content of the page equals its content in memory. */
  private isStored(number: number, bytes: Uint8Array): boolean {
    if (this.storedIn[number] === stored.nowhere) return false
    this.read(number, this.compareBuffer)
    return Buffer.compare(this.compareBuffer, bytes) === 0
  }

  private placePage(number: number, frame: number): page {
    if (number >= this.storedIn.length) this.storedIn = doubled(this.storedIn, stored.nowhere)
    const page = this.frames[frame]!
    this.pages[number] = page
    this.pageOfFrame[frame] = number
    this.writesAtLoad[frame] = maybeWritten
    this.residentCount += 1
    return page
  }

  private takeFrame(): number {
    if (this.free.length === 0) this.addSlab()
    return this.free.pop()!
  }

  private addSlab(): void {
    const { slabBytes } = this.options
    const wanted = Math.max(firstSlabBytes, 2 * (this.slabs.at(-1)?.byteLength ?? 0))
    const fitting = Math.max(1, Math.floor(wanted / this.pageBytes)) * this.pageBytes
    // A slab of the full size also fits tables with another page size.
    const byteLength = wanted < slabBytes ? fitting : Math.max(slabBytes, this.pageBytes)
    // Small slabs are counted by V8, so that freed slabs of small engines do not pile up unnoticed.
    const isCounted = this.slabs.length === 0 || byteLength <= countedBytesMax
    const slab = isCounted ? new ArrayBuffer(byteLength) : this.shared.take(byteLength)
    this.slabs.push(slab)
    const from = this.frames.length
    this.addFrames(slab)
    // Frames are taken from the end of the list, so the lowest frame is pushed last.
    for (let frame = this.frames.length - 1; frame >= from; frame -= 1) this.free.push(frame)
  }

  private addFrames(slab: ArrayBufferLike): void {
    const { pageBytes } = this
    for (let at = 0; at + pageBytes <= slab.byteLength; at += pageBytes)
      this.frames.push(this.options.viewOf(slab, at, pageBytes))
    while (this.pageOfFrame.length < this.frames.length) {
      this.pageOfFrame = doubled(this.pageOfFrame, noPage)
      this.writesAtLoad = doubled(this.writesAtLoad, maybeWritten)
    }
  }

  /**
   * Returns the last slabs to the shared pool if enough frames are free elsewhere for their pages.
   */
  private returnUnusedSlabs(): void {
    let end = this.frames.length
    let left = this.free.length
    for (let at = this.slabs.length - 1; at > 0; at -= 1) {
      const inSlab = Math.floor(this.slabs[at]!.byteLength / this.pageBytes)
      if (left < inSlab) break
      left -= inSlab
      end -= inSlab
    }
    if (end === this.frames.length) return
    this.free = this.free.filter((frame) => frame < end)
    for (let frame = end; frame < this.frames.length; frame += 1) this.movePageDown(frame)
    this.frames.length = end
    this.evictionHand %= end
    this.returnSlabsFrom(end)
  }

  private movePageDown(from: number): void {
    const number = this.pageOfFrame[from]!
    this.pageOfFrame[from] = noPage
    if (number === noPage) return
    const frame = this.free.pop()!
    const page = this.frames[frame]!
    bytesOf(page).set(bytesOf(this.frames[from]!))
    this.pages[number] = page
    this.pageOfFrame[frame] = number
    this.writesAtLoad[frame] = this.writesAtLoad[from]!
  }

  /** Returns slabs whose frames are no longer in use. */
  private returnSlabsFrom(end: number): void {
    let frames = 0
    const kept = this.slabs.findIndex(({ byteLength }) => {
      if (frames === end) return true
      frames += Math.floor(byteLength / this.pageBytes)
      return false
    })
    for (const slab of this.slabs.splice(kept))
      if (slab.byteLength > countedBytesMax) this.shared.release(slab)
  }
}

/**
 * Pool of free slabs that the tables of an engine share. V8 does not count this memory, so slabs
 * left to the garbage collector would pile up unnoticed.
 */
export class SlabPool {
  /** Free slabs by size in bytes. */
  private readonly freeSlabs = new Map<number, ArrayBufferLike[]>()
  private freeBytes = 0
  private readonly bytesMax: number

  /** `bytesMax` limits the free memory that is kept for other tables. */
  constructor(bytesMax: number) {
    this.bytesMax = bytesMax
  }

  /** Returns a slab filled with zeros. */
  take(byteLength: number): ArrayBufferLike {
    const slab = this.freeSlabs.get(byteLength)?.pop()
    if (slab === undefined) return gcNeutralBuffer(byteLength)
    this.freeBytes -= byteLength
    new Uint8Array(slab).fill(0)
    return slab
  }

  release(slab: ArrayBufferLike): void {
    const { byteLength } = slab
    if (this.freeBytes + byteLength > this.bytesMax) return
    const sameSize = this.freeSlabs.get(byteLength)
    if (sameSize === undefined) this.freeSlabs.set(byteLength, [slab])
    else sameSize.push(slab)
    this.freeBytes += byteLength
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: PageView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

function doubled<entries extends Int32Array | Uint8Array>(entries: entries, fill: number): entries {
  const grown = new (entries.constructor as new (length: number) => entries)(entries.length * 2)
  grown.fill(fill)
  grown.set(entries)
  return grown
}
