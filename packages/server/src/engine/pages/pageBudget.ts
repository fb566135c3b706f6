import { type PageFrames, type PageStore, SlabPool, type WriteState } from './pageFrames.ts'

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
  schedule(settle: () => void): void
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
/** Share of the limit that is kept as free slabs for other tables. */
const freeSlabShare = 0.15

type Member = { name: string; frames: PageFrames; isIndex: boolean; file: PageStore | null }

/** The memory limit that all pages of an engine share. */
export class PageBudget {
  private readonly paging: PagingOptions | undefined
  private readonly members: Member[] = []
  private readonly slabs: SlabPool
  private readonly writes: WriteState = { count: 0, isUnderWay: true }
  private hasWriteError = false
  /** Bytes loaded since memory was last checked. */
  private loadedBytes = 0
  private isEvictionScheduled = false
  private isFilling = false

  constructor(paging?: PagingOptions | undefined) {
    this.paging = paging
    this.slabs = new SlabPool((paging?.residentBytesMax ?? 0) * freeSlabShare)
  }

  /**
   * Adds the pages of a table. `index` marks pages that every added item touches in many places.
   */
  add(name: string, frames: PageFrames, kind: 'rows' | 'index' = 'rows'): void {
    this.members.push({ name, frames, isIndex: kind === 'index', file: null })
    frames.shareSlabs(this.slabs)
    frames.shareWriteState(this.writes)
    const { paging } = this
    if (paging !== undefined) frames.onLoad = () => this.onPageLoaded(paging, frames.pageBytes)
  }

  /** Pages of all tables by name. */
  pagesByName(): ReadonlyMap<string, PageFrames> {
    return new Map(this.members.map(({ name, frames }) => [name, frames]))
  }

  residentBytes(): number {
    return bytesOf(this.members)
  }

  /**
   * Declares that from now on pages only change within `write`. A page loaded between two writes
   * can then be evicted without comparing it with the disk.
   */
  announceWrites(): void {
    this.writes.isUnderWay = false
    this.writes.count += 1
  }

  /** Runs work that changes pages. Required for every change once writes are announced. */
  write<result>(work: () => result): result {
    this.writes.isUnderWay = true
    try {
      return work()
    } finally {
      this.announceWrites()
    }
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
    const members = this.isFilling ? this.members.filter(({ isIndex }) => !isIndex) : this.members
    const { residentBytesMax } = paging
    if (bytesOf(members) <= residentBytesMax) return
    for (const { frames } of members) frames.divide()
    const bytes = bytesOf(members)
    if (bytes <= residentBytesMax) return
    const goes = 1 - (residentBytesMax * targetShare) / bytes
    try {
      for (const member of members) {
        const { name, frames } = member
        member.file ??= paging.openFile(name, frames.pageBytes)
        frames.evict(Math.ceil(frames.residentCount * goes), member.file)
      }
      this.hasWriteError = false
    } catch (error) {
      if (!this.hasWriteError) paging.onWriteError(error)
      this.hasWriteError = true
    }
  }

  private onPageLoaded(paging: PagingOptions, bytes: number): void {
    this.loadedBytes += bytes
    if (this.isEvictionScheduled || this.loadedBytes < paging.residentBytesMax * (1 - targetShare))
      return
    this.isEvictionScheduled = true
    paging.schedule(() => {
      this.isEvictionScheduled = false
      this.evictExcess()
    })
  }
}

function bytesOf(members: readonly Member[]): number {
  let bytes = 0
  for (const { frames } of members) bytes += frames.residentCount * frames.pageBytes
  return bytes
}
