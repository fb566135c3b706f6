import { gcNeutralBuffer } from '../../lib/gcNeutralBuffer.ts'
import { bufferBytes, type PageStore, type Pages, type SharedMemory } from './pages.ts'

/**
 * Memory limit of a market and the files for pages beyond it. Undefined if everything stays in
 * memory.
 */
export type PagingOptions = {
  residentBytesMax: number
  openFile(name: string, pageBytes: number): PageStore
  /**
   * Schedules a call outside of any operation. Reads load pages too, and must not evict while they
   * run.
   */
  schedule(evict: () => void): void
  /**
   * Reports that pages could not be written and stay in memory. Called for the first failure after
   * a success.
   */
  onWriteError(error: unknown): void
}

/** Rows or records that a scan may pass before memory is checked again. */
const checkInterval = 1 << 10
/** Share of the limit in use after an eviction, so that not every log entry evicts. */
const targetShare = 0.9
/** Share of the limit that is kept as free buffers for other tables. */
const freeShare = 0.15

type Table = { name: string; pages: Pages; isIndex: boolean; file: PageStore | null }

/** The memory of a market: pages of all its tables, under one limit. */
export class MarketMemory implements SharedMemory {
  private readonly paging: PagingOptions | undefined
  private readonly tables: Table[] = []
  /**
   * V8 does not count this memory, so buffers left to the garbage collector would pile up
   * unnoticed.
   */
  private readonly freeBuffers: ArrayBufferLike[] = []
  private hasWriteError = false
  /** Bytes loaded since memory was last checked. */
  private loadedBytes = 0
  private isEvictionScheduled = false
  private isFilling = false

  constructor(paging?: PagingOptions | undefined) {
    this.paging = paging
  }

  /**
   * Adds the pages of a table. `index` marks pages that every added item touches in many places.
   */
  add(name: string, pages: Pages, kind: 'rows' | 'index' = 'rows'): void {
    this.tables.push({ name, pages, isIndex: kind === 'index', file: null })
    pages.memory = this
  }

  /** Pages of all tables by name. */
  pagesByName(): ReadonlyMap<string, Pages> {
    return new Map(this.tables.map(({ name, pages }) => [name, pages]))
  }

  residentBytes(): number {
    return bytesOf(this.tables)
  }

  /**
   * Runs work that fills a market, and keeps indexes in memory meanwhile: almost every page of an
   * index would be loaded and evicted with each token.
   */
  whileFilling(work: () => void): void {
    this.isFilling = true
    try {
      work()
    } finally {
      this.isFilling = false
    }
    this.evictExcess()
  }

  /**
   * Call it after each log entry, once pages change only while entries are applied. See
   * `Pages.endWrite`.
   */
  endWrite(): void {
    if (this.paging !== undefined) for (const { pages } of this.tables) pages.endWrite()
  }

  /** Checks memory during a scan. Call it before each item, with a running number. */
  evictDuringScan(place: number): void {
    if (place % checkInterval === 0) this.evictExcess()
  }

  /**
   * Evicts pages beyond the limit. Call it only between log entries and answers, when no caller
   * holds a position in a page.
   */
  evictExcess(): void {
    const { paging } = this
    if (paging === undefined) return
    this.loadedBytes = 0
    const tables = this.isFilling ? this.tables.filter(({ isIndex }) => !isIndex) : this.tables
    const { residentBytesMax } = paging
    if (bytesOf(tables) <= residentBytesMax) return
    for (const { pages } of tables) pages.divide()
    const bytes = bytesOf(tables)
    if (bytes <= residentBytesMax) return
    const evictedShare = 1 - (residentBytesMax * targetShare) / bytes
    try {
      for (const table of tables) {
        const { name, pages } = table
        table.file ??= paging.openFile(name, pages.pageBytes)
        pages.evict(Math.ceil(pages.residentCount * evictedShare), table.file)
      }
      this.hasWriteError = false
    } catch (error) {
      if (!this.hasWriteError) paging.onWriteError(error)
      this.hasWriteError = true
    }
  }

  onLoad(bytes: number): void {
    const { paging } = this
    if (paging === undefined) return
    this.loadedBytes += bytes
    if (this.isEvictionScheduled || this.loadedBytes < paging.residentBytesMax * (1 - targetShare))
      return
    this.isEvictionScheduled = true
    paging.schedule(() => {
      this.isEvictionScheduled = false
      this.evictExcess()
    })
  }

  takeBuffer(byteLength: number): ArrayBufferLike {
    const buffer = byteLength === bufferBytes ? this.freeBuffers.pop() : undefined
    if (buffer === undefined) return gcNeutralBuffer(byteLength)
    new Uint8Array(buffer).fill(0)
    return buffer
  }

  returnBuffer(buffer: ArrayBufferLike): void {
    const bytesMax = (this.paging?.residentBytesMax ?? 0) * freeShare
    if (buffer.byteLength === bufferBytes && this.freeBuffers.length * bufferBytes < bytesMax)
      this.freeBuffers.push(buffer)
  }
}

function bytesOf(tables: readonly Table[]): number {
  let bytes = 0
  for (const { pages } of tables) bytes += pages.residentCount * pages.pageBytes
  return bytes
}
