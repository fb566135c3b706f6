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

/** The memory that pages share with other tables. */
export type SharedMemory = {
  /** Returns a zeroed buffer of `bufferBytes` or more. */
  takeBuffer(byteLength: number): ArrayBufferLike
  returnBuffer(buffer: ArrayBufferLike): void
  /** Reports that a page was loaded. */
  onLoad(bytes: number): void
}

export type PagesOptions<page> = {
  pageBytes: number
  /** Size of a page until pages are divided, a multiple of `pageBytes`. @default pageBytes */
  largePageBytes?: number | undefined
  /** Returns a view of a part of a buffer as a page. */
  viewOf(buffer: ArrayBufferLike, byteOffset: number, byteLength: number): page
}

/** Size of the buffers that pages are cut from: malloc asks for huge pages. */
export const bufferBytes = 1 << 22

/** Where the newest stored content of a page is. */
const stored = { nowhere: 0, base: 1, file: 2 } as const
/** The first page always stays in memory, at its address: tables have their header there. */
const pinnedPages = 1
const firstEntries = 1 << 4
const countedBytesMax = 1 << 20
const firstBufferBytes = 1 << 14

const unshared: SharedMemory = {
  takeBuffer: gcNeutralBuffer,
  returnBuffer: () => undefined,
  onLoad: () => undefined,
}

/**
 * Numbered pages of bytes. Only `evict` takes pages out of memory or moves them; until then a page
 * stays at its address, whatever else is read.
 */
export class Pages<page extends PageView = PageView> {
  /** Current size of a page. */
  pageBytes: number
  /** Number of pages in memory. */
  residentCount = 0
  /** Memory shared with other tables. */
  memory: SharedMemory = unshared
  /**
   * Called when large pages are divided into pages of the final size; returns the number of pages
   * in use.
   */
  onDivide: (() => number) | null = null
  /** Pages indexed by number; undefined if not in memory. Other classes may only read the list. */
  readonly resident: (page | undefined)[] = []
  /** Memory for pages that is not in use. */
  private free: page[] = []
  /** Buffers that pages are cut from; the first ones are smaller. */
  private readonly buffers: ArrayBufferLike[] = []
  private readonly options: PagesOptions<page>
  /** Pages loaded since the last write, which equal what is stored; null: any page may change. */
  private unchanged: Set<number> | null = null
  /** Number of the page that `evict` looks at next. */
  private hand = 0
  private file: PageStore | null = null
  /** Pages written earlier, such as an image, which never change. */
  private base: PageStore | null = null
  /** Where each page is stored, by page number. */
  private storedIn: Uint8Array = new Uint8Array(firstEntries)

  constructor(options: PagesOptions<page>) {
    this.options = options
    this.pageBytes = options.largePageBytes ?? options.pageBytes
  }

  /** Number of existing pages. */
  get count(): number {
    return this.resident.length
  }

  /** Memory taken, with or without a page in it. */
  get memoryBytes(): number {
    return this.buffers.reduce((sum, { byteLength }) => sum + byteLength, 0)
  }

  /**
   * True while pages are large, few and never evicted. Finding a page then costs one array access.
   */
  get isUndivided(): boolean {
    return this.pageBytes !== this.options.pageBytes
  }

  /** Returns a page, loading it into memory if needed. */
  page(number: number): page {
    return this.resident[number] ?? this.load(number)
  }

  /** Adds a page of zeros. */
  push(): void {
    const page = this.takeFree()
    // A new buffer is zero already; filling it would touch memory that nothing needs yet.
    if (this.file !== null || this.base !== null) page.fill(0)
    this.place(this.resident.length, page)
  }

  /**
   * Splits each large page into small ones over the same memory. Small pages can be evicted one by
   * one.
   */
  divide(): void {
    if (!this.isUndivided) return
    const largeBytes = this.pageBytes
    this.pageBytes = this.options.pageBytes
    const perLarge = largeBytes / this.pageBytes
    const count = this.onDivide?.() ?? this.resident.length * perLarge
    this.resident.length = 0
    this.residentCount = 0
    this.free = []
    for (const buffer of this.buffers) {
      const end = Math.floor(buffer.byteLength / largeBytes) * largeBytes
      for (const page of this.cut(buffer))
        if (page.byteOffset < end && this.count < count) this.place(this.count, page)
        else this.free.push(page)
    }
  }

  /** Replaces the only page by the pages of an image, which are read on demand. */
  adoptBase(count: number, base: PageStore): void {
    this.divide()
    assert(this.count === pinnedPages && count >= pinnedPages, 'there is nothing yet')
    base.read(0, bytesOf(this.resident[0]!))
    this.base = base
    this.storedIn = new Uint8Array(count + firstEntries).fill(stored.base, pinnedPages, count)
    while (this.count < count) this.resident.push(undefined)
  }

  /**
   * Copies a page from memory or disk without loading it. `to` may be shorter if the page is in
   * memory.
   */
  copyPage(number: number, to: Uint8Array): void {
    const page = this.resident[number]
    if (page === undefined) this.read(number, to)
    else to.set(bytesOf(page).subarray(0, to.length))
  }

  /**
   * Takes `count` pages out of memory, in rotation, and writes those that changed to the file.
   * Other pages may move.
   */
  evict(count: number, file: PageStore): void {
    this.file = file
    for (let [left, turns] = [count, this.count]; left > 0 && turns > 0; turns -= 1) {
      const at = this.hand
      const page = this.resident[at]
      if (page !== undefined && at >= pinnedPages) {
        const bytes = bytesOf(page)
        // Most pages were only read and need no write.
        if (this.unchanged?.delete(at) !== true && !this.isStored(at, bytes)) {
          file.write(at, bytes)
          this.storedIn[at] = stored.file
        }
        this.resident[at] = undefined
        this.free.push(page)
        this.residentCount -= 1
        left -= 1
      }
      this.hand = (at + 1) % this.count
    }
    this.returnBuffers()
  }

  /**
   * Declares that all writes so far have ended, and that the next one is declared, too, before
   * pages are evicted. Pages that are only read are then evicted without reading what is stored.
   */
  endWrite(): void {
    this.unchanged = new Set()
  }

  /** Loads a page that is not in memory. */
  load(number: number): page {
    const page = this.takeFree()
    try {
      this.read(number, bytesOf(page))
    } catch (error) {
      // The old content of this memory must not be taken for the page.
      this.free.push(page)
      throw error
    }
    this.memory.onLoad(this.pageBytes)
    this.unchanged?.add(number)
    this.place(number, page)
    return page
  }

  private read(number: number, to: Uint8Array): void {
    const from = this.storedIn[number] === stored.base ? this.base : this.file
    from!.read(number, to)
  }

  /** True if the stored content of the page equals its content in memory. */
  private isStored(number: number, bytes: Uint8Array): boolean {
    if (this.storedIn[number] === stored.nowhere) return false
    const content = compared.subarray(0, bytes.length)
    this.read(number, content)
    return Buffer.compare(content, bytes) === 0
  }

  private place(number: number, page: page): void {
    if (number >= this.storedIn.length) {
      const grown = new Uint8Array(this.storedIn.length * 2)
      grown.set(this.storedIn)
      this.storedIn = grown
    }
    this.resident[number] = page
    this.residentCount += 1
  }

  private takeFree(): page {
    if (this.free.length === 0) this.addBuffer()
    return this.free.pop()!
  }

  private addBuffer(): void {
    const { pageBytes } = this
    const wanted = Math.max(firstBufferBytes, 2 * (this.buffers.at(-1)?.byteLength ?? 0))
    const fitting = Math.max(1, Math.floor(wanted / pageBytes)) * pageBytes
    // A buffer of the full size also fits tables with another page size.
    const byteLength = wanted < bufferBytes ? fitting : Math.max(bufferBytes, pageBytes)
    // V8 counts small buffers, so that those of small engines do not pile up unnoticed.
    const isCounted = this.buffers.length === 0 || byteLength <= countedBytesMax
    const buffer = isCounted ? new ArrayBuffer(byteLength) : this.memory.takeBuffer(byteLength)
    this.buffers.push(buffer)
    // The lowest is pushed last, and so taken first.
    for (const page of this.cut(buffer).reverse()) this.free.push(page)
  }

  private cut(buffer: ArrayBufferLike): page[] {
    const { pageBytes } = this
    const length = Math.floor(buffer.byteLength / pageBytes)
    return Array.from({ length }, (_, index) =>
      this.options.viewOf(buffer, index * pageBytes, pageBytes),
    )
  }

  /** Moves pages out of the last buffers and returns these, as far as free memory suffices. */
  private returnBuffers(): void {
    const returned = new Set<ArrayBufferLike>()
    for (let left = this.free.length; this.buffers.length > 1; ) {
      left -= Math.floor(this.buffers.at(-1)!.byteLength / this.pageBytes)
      if (left < 0) break
      returned.add(this.buffers.pop()!)
    }
    if (returned.size === 0) return
    this.free = this.free.filter(({ buffer }) => !returned.has(buffer))
    for (let at = pinnedPages; at < this.count; at += 1) {
      const page = this.resident[at]
      if (page === undefined || !returned.has(page.buffer)) continue
      const moved = this.free.pop()!
      bytesOf(moved).set(bytesOf(page))
      this.resident[at] = moved
    }
    for (const buffer of returned) this.memory.returnBuffer(buffer)
  }
}

/** Content of a page while it is compared; a page that can be evicted is never larger. */
const compared = new Uint8Array(1 << 17)

function bytesOf({ buffer, byteOffset, byteLength }: PageView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}
