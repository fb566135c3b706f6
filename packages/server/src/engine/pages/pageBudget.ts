import { type PageFrames, type PageStore, type PageWrites, Slabs } from './pageFrames.ts'

/** What a market may have in memory of that which nobody trades; undefined: all of it. */
export type PagingOptions = {
  residentBytesMax: number
  openFile(name: string, pageBytes: number): PageStore
  /** Calls it soon, when nobody is in the middle of anything: those who read bring pages, too. */
  later(settle: () => void): void
  /** Pages could not be written, for the first time since one could: they stay in memory. */
  onFault(error: unknown): void
}

/** Rows or records that are gone through before it is looked at again. */
const settledEvery = 1 << 10
/** How full it is after pages have gone: or some would go after each entry. */
const keptShare = 0.9
/** Of what may be in memory: what one table gives up waits for others. */
const handedOnShare = 0.15

type Member = { name: string; frames: PageFrames; isIndex: boolean; file: PageStore | null }

/** The memory that all pages of an engine share. */
export class PageBudget {
  private readonly paging: PagingOptions | undefined
  private readonly members: Member[] = []
  private readonly slabs: Slabs
  private readonly writes: PageWrites = { count: 0, isUnderWay: true }
  private hasFault = false
  /** Since it was last looked at. */
  private loadedBytes = 0
  private isDue = false
  private isFilling = false

  constructor(paging?: PagingOptions | undefined) {
    this.paging = paging
    this.slabs = new Slabs((paging?.residentBytesMax ?? 0) * handedOnShare)
  }

  /** An index is touched all over by each thing that is added. */
  add(name: string, frames: PageFrames, kind: 'rows' | 'index' = 'rows'): void {
    this.members.push({ name, frames, isIndex: kind === 'index', file: null })
    frames.shareSlabs(this.slabs)
    frames.followWrites(this.writes)
    const { paging } = this
    if (paging !== undefined) frames.onLoad = () => this.loaded(paging, frames.pageBytes)
  }

  /** All pages there are, by what they are called. */
  named(): ReadonlyMap<string, PageFrames> {
    return new Map(this.members.map(({ name, frames }) => [name, frames]))
  }

  residentBytes(): number {
    return bytesOf(this.members)
  }

  /** From now on pages change within `write` alone: one that was looked at between two writes goes without another look at the disk. */
  announceWrites(): void {
    this.writes.isUnderWay = false
    this.writes.count += 1
  }

  /** Whoever changes pages does it in here, once writes are announced. */
  write<result>(work: () => result): result {
    this.writes.isUnderWay = true
    try {
      return work()
    } finally {
      this.announceWrites()
    }
  }

  /** Indexes stay in memory until a market is filled: nearly each page of them would come and go with each token. */
  fill(work: () => void): void {
    this.isFilling = true
    try {
      work()
    } finally {
      this.isFilling = false
    }
    this.settle()
  }

  /** For whoever goes through all there is, before each of them. */
  settleAt(place: number): void {
    if (place % settledEvery === 0) this.settle()
  }

  /** Between entries and answers only: nobody has a place in a page then. */
  settle(): void {
    const { paging } = this
    if (paging === undefined) return
    this.loadedBytes = 0
    const members = this.isFilling ? this.members.filter(({ isIndex }) => !isIndex) : this.members
    const { residentBytesMax } = paging
    if (bytesOf(members) <= residentBytesMax) return
    for (const { frames } of members) frames.divide()
    const bytes = bytesOf(members)
    if (bytes <= residentBytesMax) return
    const goes = 1 - (residentBytesMax * keptShare) / bytes
    try {
      for (const member of members) {
        const { name, frames } = member
        member.file ??= paging.openFile(name, frames.pageBytes)
        frames.evict(Math.ceil(frames.resident * goes), member.file)
      }
      this.hasFault = false
    } catch (error) {
      if (!this.hasFault) paging.onFault(error)
      this.hasFault = true
    }
  }

  private loaded(paging: PagingOptions, bytes: number): void {
    this.loadedBytes += bytes
    if (this.isDue || this.loadedBytes < paging.residentBytesMax * (1 - keptShare)) return
    this.isDue = true
    paging.later(() => {
      this.isDue = false
      this.settle()
    })
  }
}

function bytesOf(members: readonly Member[]): number {
  let bytes = 0
  for (const { frames } of members) bytes += frames.resident * frames.pageBytes
  return bytes
}
