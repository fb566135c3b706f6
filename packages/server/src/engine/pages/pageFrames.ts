import assert from 'node:assert'
import { uncountedBuffer } from '../../lib/uncountedBuffer.ts'

/** Stores pages while they are not in memory. */
export type PageStore = {
  /** Reads the last written content. */
  read(page: number, to: Uint8Array): void
  write(page: number, from: Uint8Array): void
}

/** A page as it is read and written. */
export type PageView = {
  readonly buffer: ArrayBufferLike
  readonly byteOffset: number
  readonly byteLength: number
  fill(value: number): unknown
}

export type FramesOptions<page> = {
  pageBytes: number
  /** Frames are allocated in slabs of this size, at first in smaller ones. */
  slabBytes: number
  /** Size of a page until pages are divided, a multiple of `pageBytes`. @default pageBytes */
  wholeBytes?: number | undefined
  /** A part of a slab as it is read and written. */
  viewOf(slab: ArrayBufferLike, byteOffset: number, byteLength: number): page
}

/** When pages may change: pages loaded between two writes are as they were stored. */
export type PageWrites = { count: number; isUnderWay: boolean }

/** Where a page was last written to. */
const stored = { nowhere: 0, base: 1, file: 2 } as const
/** The frame has no page. */
const nobody = -1
/** The page may have been written since it was loaded. */
const unsure = -1
/** The first page stays in the first frame: tables have their header there. */
const pinnedPages = 1
const firstEntries = 1 << 4
const countedBytesMax = 1 << 20
const firstSlabBytes = 1 << 14

/**
 * Pages of bytes, each in a frame while it is in memory. Only `evict` frees frames: until then a
 * page stays in place, whatever else is read.
 */
export class PageFrames<page extends PageView = PageView> {
  /** Size of a page. */
  pageBytes: number
  /** Pages in memory. */
  resident = 0
  /** Called when a page is loaded into memory. */
  onLoad: (() => void) | null = null
  /** Called when pages get their final size; returns the number of pages in use. */
  onDivide: (() => number) | null = null
  /** Indexed by number; undefined if not in memory. Others only read it. */
  readonly pages: (page | undefined)[] = []
  private readonly frames: page[] = []
  private pageOfFrame = new Int32Array(firstEntries).fill(nobody)
  /** Number of writes when the page was loaded. */
  private writesAtLoad = new Int32Array(firstEntries).fill(unsure)
  /** Until writes are announced, pages may change at any time. */
  private writes: PageWrites = { count: 0, isUnderWay: true }
  private free: number[] = []
  private readonly options: FramesOptions<page>
  /** In the order of their frames, at first smaller ones. */
  private readonly slabs: ArrayBufferLike[] = []
  private shared = new Slabs(0)
  private hand = 0
  private file: PageStore | null = null
  /** Pages written earlier, such as an image, which never change. */
  private base: PageStore | null = null
  /** By page. */
  private storedIn = new Uint8Array(firstEntries)
  private readonly compared: Uint8Array

  constructor(options: FramesOptions<page>) {
    this.options = options
    this.pageBytes = options.wholeBytes ?? options.pageBytes
    this.compared = new Uint8Array(options.pageBytes)
  }

  /** Takes free slabs from there and returns them. */
  shareSlabs(shared: Slabs): void {
    this.shared = shared
  }

  /** Says when pages may change. */
  followWrites(writes: PageWrites): void {
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

  /** A page, loaded into memory if needed. */
  page(number: number): page {
    return this.pages[number] ?? this.load(number)
  }

  /** True while pages are large, few and never evicted: finding one then costs an array access. */
  get isWhole(): boolean {
    return this.pageBytes !== this.options.pageBytes
  }

  /** Adds a page of zeros. */
  push(): void {
    const page = this.put(this.pages.length, this.takeFrame())
    // A new slab is zero; filling it would take memory that nothing needs yet.
    if (this.file !== null || this.base !== null) page.fill(0)
  }

  /**
   * Splits each large page into small ones over the same memory, which can be evicted one by one.
   */
  divide(): void {
    if (!this.isWhole) return
    const wholeBytes = this.pageBytes
    this.pageBytes = this.options.pageBytes
    const perWhole = wholeBytes / this.pageBytes
    const count = this.onDivide?.() ?? this.pages.length * perWhole
    this.pages.length = 0
    this.frames.length = 0
    this.resident = 0
    this.pageOfFrame.fill(nobody)
    this.free = []
    for (const slab of this.slabs) {
      const from = this.frames.length
      this.addFrames(slab)
      const end = from + Math.floor(slab.byteLength / wholeBytes) * perWhole
      for (let frame = from; frame < this.frames.length; frame += 1)
        if (frame < end && this.pages.length < count) this.put(this.pages.length, frame)
        else this.free.push(frame)
    }
    this.free.reverse()
  }

  /** Replaces the only page by those of a base, which are read on demand. */
  adopt(count: number, base: PageStore): void {
    this.divide()
    assert(this.pages.length === pinnedPages && count >= pinnedPages, 'there is nothing yet')
    base.read(0, bytesOf(this.pages[0]!))
    this.base = base
    this.storedIn = new Uint8Array(count + firstEntries).fill(stored.base, pinnedPages, count)
    while (this.pages.length < count) this.pages.push(undefined)
  }

  /**
   * Copies a page from wherever it is without loading it: all of it, or its start if it is in
   * memory.
   */
  copy(number: number, to: Uint8Array): void {
    const page = this.pages[number]
    if (page === undefined) this.read(number, to)
    else to.set(bytesOf(page).subarray(0, to.length))
  }

  /**
   * Writes the pages that were longest in memory to the file and frees their frames. Other pages
   * may move.
   */
  evict(count: number, file: PageStore): void {
    this.file = file
    for (let [left, turns] = [count, this.frames.length]; left > 0 && turns > 0; turns -= 1) {
      const frame = this.hand
      const number = this.pageOfFrame[frame]!
      if (number >= pinnedPages) {
        const bytes = bytesOf(this.frames[frame]!)
        // Most pages were only read.
        if (!this.isUnwritten(frame) && !this.isStored(number, bytes)) {
          file.write(number, bytes)
          this.storedIn[number] = stored.file
        }
        this.pages[number] = undefined
        this.pageOfFrame[frame] = nobody
        this.free.push(frame)
        this.resident -= 1
        left -= 1
      }
      this.hand = (frame + 1) % this.frames.length
    }
    this.giveSlabs()
  }

  /** Loads a page that is not in memory. */
  load(number: number): page {
    const frame = this.takeFrame()
    try {
      this.read(number, bytesOf(this.frames[frame]!))
    } catch (error) {
      // Otherwise the frame's old content would be taken for the page.
      this.free.push(frame)
      throw error
    }
    this.onLoad?.()
    const page = this.put(number, frame)
    if (!this.writes.isUnderWay) this.writesAtLoad[frame] = this.writes.count
    return page
  }

  private read(number: number, to: Uint8Array): void {
    const from = this.storedIn[number] === stored.base ? this.base : this.file
    from!.read(number, to)
  }

  /** True if it cannot have changed since it was loaded. */
  private isUnwritten(frame: number): boolean {
    return !this.writes.isUnderWay && this.writesAtLoad[frame] === this.writes.count
  }

  /** Is the page stored with this content? */
  private isStored(number: number, bytes: Uint8Array): boolean {
    if (this.storedIn[number] === stored.nowhere) return false
    this.read(number, this.compared)
    return Buffer.compare(this.compared, bytes) === 0
  }

  private put(number: number, frame: number): page {
    if (number >= this.storedIn.length) this.storedIn = doubled(this.storedIn, stored.nowhere)
    const page = this.frames[frame]!
    this.pages[number] = page
    this.pageOfFrame[frame] = number
    this.writesAtLoad[frame] = unsure
    this.resident += 1
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
    // Slabs of the full size also fit tables with other pages.
    const byteLength = wanted < slabBytes ? fitting : Math.max(slabBytes, this.pageBytes)
    // Small engines have small slabs, which V8 counts: freed ones must not pile up unnoticed.
    const isCounted = this.slabs.length === 0 || byteLength <= countedBytesMax
    const slab = isCounted ? new ArrayBuffer(byteLength) : this.shared.take(byteLength)
    this.slabs.push(slab)
    const from = this.frames.length
    this.addFrames(slab)
    // The first of them first.
    for (let frame = this.frames.length - 1; frame >= from; frame -= 1) this.free.push(frame)
  }

  private addFrames(slab: ArrayBufferLike): void {
    const { pageBytes } = this
    for (let at = 0; at + pageBytes <= slab.byteLength; at += pageBytes)
      this.frames.push(this.options.viewOf(slab, at, pageBytes))
    while (this.pageOfFrame.length < this.frames.length) {
      this.pageOfFrame = doubled(this.pageOfFrame, nobody)
      this.writesAtLoad = doubled(this.writesAtLoad, unsure)
    }
  }

  /**
   * Returns as many of the last slabs as there are free frames elsewhere, after moving their pages.
   */
  private giveSlabs(): void {
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
    for (let frame = end; frame < this.frames.length; frame += 1) this.moveDown(frame)
    this.frames.length = end
    this.hand %= end
    this.giveBehind(end)
  }

  private moveDown(from: number): void {
    const number = this.pageOfFrame[from]!
    this.pageOfFrame[from] = nobody
    if (number === nobody) return
    const frame = this.free.pop()!
    const page = this.frames[frame]!
    bytesOf(page).set(bytesOf(this.frames[from]!))
    this.pages[number] = page
    this.pageOfFrame[frame] = number
    this.writesAtLoad[frame] = this.writesAtLoad[from]!
  }

  /** Returns slabs without frames. */
  private giveBehind(end: number): void {
    let frames = 0
    const kept = this.slabs.findIndex(({ byteLength }) => {
      if (frames === end) return true
      frames += Math.floor(byteLength / this.pageBytes)
      return false
    })
    for (const slab of this.slabs.splice(kept))
      if (slab.byteLength > countedBytesMax) this.shared.give(slab)
  }
}

/**
 * Free slabs that the tables of an engine share. V8 does not count this memory, so slabs left to
 * the garbage collector would pile up unnoticed.
 */
export class Slabs {
  /** Indexed by size. */
  private readonly given = new Map<number, ArrayBufferLike[]>()
  private givenBytes = 0
  private readonly bytesMax: number

  /** Keeps at most this much for other tables. */
  constructor(bytesMax: number) {
    this.bytesMax = bytesMax
  }

  /** Filled with zeros. */
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

function bytesOf({ buffer, byteOffset, byteLength }: PageView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

function doubled<entries extends Int32Array | Uint8Array>(entries: entries, fill: number): entries {
  const grown = new (entries.constructor as new (length: number) => entries)(entries.length * 2)
  grown.fill(fill)
  grown.set(entries)
  return grown
}
