import assert from 'node:assert'
import { uncountedBuffer } from '../../lib/uncountedBuffer.ts'

/** Where pages are while they are not in memory. */
export type PageStore = {
  /** What was written last. */
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
  /** Frames are allocated so many bytes at a time, at first fewer. */
  slabBytes: number
  /** Size of a page until they are divided, a multiple of `pageBytes`. @default pageBytes */
  wholeBytes?: number | undefined
  /** A part of a slab as it is read and written. */
  viewOf(slab: ArrayBufferLike, byteOffset: number, byteLength: number): page
}

/** When pages may change: those that came between two writes are as they were stored. */
export type PageWrites = { count: number; isUnderWay: boolean }

/** Where a page was last written to. */
const stored = { nowhere: 0, base: 1, file: 2 } as const
/** In the place of a page: the frame has none. */
const nobody = -1
/** In the place of a count of writes: the page may have been written since it came. */
const unsure = -1
/** The first page is in the first frame for good: tables have their header there. */
const pinnedPages = 1
const firstEntries = 1 << 4
const countedBytesMax = 1 << 20
const firstSlabBytes = 1 << 14

/**
 * Pages of bytes, each in a frame while it is in memory. Frames are not given up before `evict`: until then a page stays where
 * it is, whatever else is read.
 */
export class PageFrames<page extends PageView = PageView> {
  /** Size of a page. */
  pageBytes: number
  /** Pages in memory. */
  resident = 0
  /** A page was brought into memory. */
  onLoad: (() => void) | null = null
  /** Pages get their lasting size; returns how many of them are in use. */
  onDivide: (() => number) | null = null
  /** By number; undefined: it is not in memory. Only read from outside. */
  readonly pages: (page | undefined)[] = []
  private readonly frames: page[] = []
  private pageOfFrame = new Int32Array(firstEntries).fill(nobody)
  /** How many writes there were when the page came. */
  private writesAtLoad = new Int32Array(firstEntries).fill(unsure)
  /** As long as nobody says when, always. */
  private writes: PageWrites = { count: 0, isUnderWay: true }
  private free: number[] = []
  private readonly options: FramesOptions<page>
  /** In the order of their frames, at first smaller ones. */
  private readonly slabs: ArrayBufferLike[] = []
  private shared = new Slabs(0)
  private hand = 0
  private file: PageStore | null = null
  /** What others have written before, and nobody changes. */
  private base: PageStore | null = null
  /** By page. */
  private storedIn = new Uint8Array(firstEntries)
  private readonly compared: Uint8Array

  constructor(options: FramesOptions<page>) {
    this.options = options
    this.pageBytes = options.wholeBytes ?? options.pageBytes
    this.compared = new Uint8Array(options.pageBytes)
  }

  /** Takes and gives slabs there. */
  shareSlabs(shared: Slabs): void {
    this.shared = shared
  }

  /** Says when pages may change. */
  followWrites(writes: PageWrites): void {
    this.writes = writes
  }

  /** Pages that there are. */
  get count(): number {
    return this.pages.length
  }

  /** Of the memory that it has, whether or not there is a page in it. */
  get frameCount(): number {
    return this.frames.length
  }

  /** A page, after it was brought into memory. */
  page(number: number): page {
    return this.pages[number] ?? this.load(number)
  }

  /** Pages are large, few and never evicted: finding one costs what an element of an array costs. */
  get isWhole(): boolean {
    return this.pageBytes !== this.options.pageBytes
  }

  /** One more page, of zeros. */
  push(): void {
    const page = this.put(this.pages.length, this.takeFrame())
    // A new slab is zero; filling it would take memory that nothing needs yet.
    if (this.file !== null || this.base !== null) page.fill(0)
  }

  /** Each large page into small ones over the same memory, which can be evicted one by one. */
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

  /** In place of the only page, those of a base: they are there until they are asked for. */
  adopt(count: number, base: PageStore): void {
    this.divide()
    assert(this.pages.length === pinnedPages && count >= pinnedPages, 'there is nothing yet')
    base.read(0, bytesOf(this.pages[0]!))
    this.base = base
    this.storedIn = new Uint8Array(count + firstEntries).fill(stored.base, pinnedPages, count)
    while (this.pages.length < count) this.pages.push(undefined)
  }

  /** A page, wherever it is, without bringing it into memory: all of it, or the start of one that is in memory. */
  copy(number: number, to: Uint8Array): void {
    const page = this.pages[number]
    if (page === undefined) this.read(number, to)
    else to.set(bytesOf(page).subarray(0, to.length))
  }

  /** Writes those to the file that have been in memory longest, and gives up their frames. Others may be elsewhere after it. */
  evict(count: number, file: PageStore): void {
    this.file = file
    for (let [left, turns] = [count, this.frames.length]; left > 0 && turns > 0; turns -= 1) {
      const frame = this.hand
      const number = this.pageOfFrame[frame]!
      if (number >= pinnedPages) {
        const bytes = bytesOf(this.frames[frame]!)
        // Most were only looked at.
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

  /** Of one that is not in memory. */
  load(number: number): page {
    const frame = this.takeFrame()
    try {
      this.read(number, bytesOf(this.frames[frame]!))
    } catch (error) {
      // Or what the frame had before would be taken for the page.
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

  /** Nobody can have changed it since it was read. */
  private isUnwritten(frame: number): boolean {
    return !this.writes.isUnderWay && this.writesAtLoad[frame] === this.writes.count
  }

  /** Is the page there as it is? */
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
    // Those of the full size are of use to tables with other pages, too.
    const byteLength = wanted < slabBytes ? fitting : Math.max(slabBytes, this.pageBytes)
    // Small engines have small slabs, which V8 counts: those that were given up must not pile up unseen.
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

  /** As many of the last slabs as the free frames make up for, after their pages moved into these. */
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

  /** Those that have no frame any more. */
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

function bytesOf({ buffer, byteOffset, byteLength }: PageView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

function doubled<entries extends Int32Array | Uint8Array>(entries: entries, fill: number): entries {
  const grown = new (entries.constructor as new (length: number) => entries)(entries.length * 2)
  grown.fill(fill)
  grown.set(entries)
  return grown
}
