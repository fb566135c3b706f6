import { strict as assert } from 'node:assert'
import type { BlockRef } from '../../model/block.ts'
import type { FinishedBlock } from '../../model/finishedBlock.ts'
import type { AppliedEntry } from '../../model/logEntry.ts'
import type { MarketEvent } from '../../model/marketEvent.ts'
import type { PairFacts, TokenFacts } from '../feed/pairFacts.ts'
import { hash8Of } from '../feed/replay/cursor.ts'
import { RecentBlock } from './recentBlock.ts'

/** What is kept of a chain's newest blocks beyond those that are not stored yet or can be reverted. */
export type RecentLimits = {
  /** Blocks kept in memory for resuming. */
  recentBlocksMax: number
  /** Market events in those blocks. */
  recentEventsMax: number
  /** Age of a block that is kept only for resuming. */
  recentAgeMaxS: number
  /** Blocks that were reverted and can still be answered by retractions. */
  orphanBlocksMax: number
}

const defaultRecentLimits: RecentLimits = {
  // A quarter of an hour of blocks of 0.1 s.
  recentBlocksMax: 9_000,
  // About 600 bytes each: 120 MB a chain at most.
  recentEventsMax: 200_000,
  recentAgeMaxS: 900,
  orphanBlocksMax: 256,
}

/** A block that was reverted, with the facts of what it spoke of: ids may mean others by now. */
export type OrphanBlock = {
  block: RecentBlock
  /** Of pairs that it traded. */
  facts: ReadonlyMap<number, PairFacts>
  /** Of tokens whose holders it changed. */
  tokens: ReadonlyMap<number, TokenFacts>
}

/**
 * A fixed cut between the store and memory, for as long as one read takes. Stored rows of blocks up to `cutNumber`
 * and the blocks given here are the whole history, each once, whatever is persisted or reverted meanwhile.
 */
export type RecentView = {
  /** Blocks up to here are canonical and stored; -1: none is. */
  readonly cutNumber: number
  /** The canonical blocks above the cut, oldest first; null: a block below the cut was reverted since. */
  blocks(): readonly RecentBlock[] | null
  /** Lets the blocks go. */
  close(): void
}

export type RecentBlocksOptions = {
  /** Sequence of the last entry that was applied before; it is stored. */
  seq: number
  /** The block the stored chain ends with; -1: none. */
  number: number
  /** @default none is final */
  finalizedNumber?: number | undefined
  reorgDepthMax: number
  limits?: Partial<RecentLimits> | undefined
  /** `seq` goes on after this one, of a chain that had the name before: those who listen remember at which they joined. */
  afterSeq?: number | undefined
}

/**
 * The newest blocks of a chain without a gap: those that may not be stored yet, those that can be reverted, and some more to
 * resume from; and those that were reverted. History, wallets and the feed all read this one.
 */
export class RecentBlocks {
  readonly name = 'recent history'
  /** The block that the newest entry reverted; null: it reverted none, or one that is not here. */
  gone: RecentBlock | null = null
  private readonly limits: RecentLimits
  private readonly reorgDepthMax: number
  /** What is added to sequences of the log. */
  private readonly seqBase: number
  /** Oldest first, linked by parent hash. Those before `start` have been dropped. */
  private blocks: RecentBlock[] = []
  private start = 0
  private weight = 0
  private orphans: OrphanBlock[] = []
  private readonly views = new Set<{ cutNumber: number; isOrphaned: boolean }>()
  private lastSeq: number
  private cutNumber: number
  private finalizedNumber: number

  constructor({ seq, number, reorgDepthMax, limits, ...options }: RecentBlocksOptions) {
    this.limits = { ...defaultRecentLimits, ...limits }
    this.reorgDepthMax = reorgDepthMax
    this.seqBase = Math.max(0, (options.afterSeq ?? 0) - seq)
    this.lastSeq = this.seqBase + seq
    this.cutNumber = number
    this.finalizedNumber = options.finalizedNumber ?? -1
  }

  get first(): RecentBlock | undefined {
    return this.blocks[this.start]
  }

  get last(): RecentBlock | undefined {
    return this.start < this.blocks.length ? this.blocks.at(-1) : undefined
  }

  /** Of the newest entry. */
  get seq(): number {
    return this.lastSeq
  }

  get orphanCount(): number {
    return this.orphans.length
  }

  /** The first consumer of an applied entry. */
  applied({ seq, entry, events }: Pick<AppliedEntry, 'seq' | 'entry' | 'events'>): void {
    this.lastSeq = this.seqBase + seq
    this.gone = null
    if (entry.type === 'commit') this.commit(entry.block, events)
    else if (entry.type === 'revert') this.revert(entry.ref)
    else if (entry.type === 'finalize') this.finalizedNumber = entry.ref.number
  }

  /** All entries up to this sequence of the log are in the store. */
  persisted(seq: number): void {
    // A canonical block whose commit is stored has its ancestors in the store as well.
    const at = this.placeOf((block) => block.seq > this.seqBase + seq) - 1
    if (at >= this.start) this.cutNumber = Math.max(this.cutNumber, this.blocks[at]!.ref.number)
  }

  open(): RecentView {
    const view = { cutNumber: this.cutNumber, isOrphaned: false }
    this.views.add(view)
    return {
      cutNumber: view.cutNumber,
      blocks: () => {
        if (view.isOrphaned) return null
        return this.blocks.slice(this.placeOf(({ ref }) => ref.number > view.cutNumber))
      },
      close: () => void this.views.delete(view),
    }
  }

  /** Lets go of all but the newest. */
  keepNewest(count: number): void {
    this.drop(Math.max(this.start, this.blocks.length - count))
  }

  addOrphan(orphan: OrphanBlock): void {
    this.orphans.push(orphan)
    if (this.orphans.length > this.limits.orphanBlocksMax) this.orphans.shift()
  }

  /** The newest orphan of this hash. */
  orphan(hash: string): OrphanBlock | undefined {
    return this.orphans.findLast(({ block }) => block.ref.hash === hash)
  }

  orphanAt(number: number, hash8: string): OrphanBlock | undefined {
    return this.orphans.findLast(
      ({ block: { ref } }) => ref.number === number && hash8Of(ref.hash) === hash8,
    )
  }

  /** Numbers rise but may skip. */
  find(number: number): RecentBlock | undefined {
    const block = this.blocks[this.indexOf(number)]
    return block?.ref.number === number ? block : undefined
  }

  /** The newest block whose number is not above this one. */
  findUpTo(number: number): RecentBlock | undefined {
    const at = this.placeOf(({ ref }) => ref.number > number)
    return at > this.start ? this.blocks[at - 1] : undefined
  }

  /** From the block of this number on, oldest first. */
  *from(number: number): Generator<RecentBlock, void, undefined> {
    for (let at = this.indexOf(number); at < this.blocks.length; at += 1) yield this.blocks[at]!
  }

  *newestFirst(): Generator<RecentBlock, void, undefined> {
    for (let at = this.blocks.length - 1; at >= this.start; at -= 1) yield this.blocks[at]!
  }

  private commit({ ref, receivedMs }: FinishedBlock, events: readonly MarketEvent[]): void {
    const { last } = this
    assert(last === undefined || last.ref.hash === ref.parentHash, 'blocks link by parent hash')
    const block = new RecentBlock({ seq: this.lastSeq, ref, receivedMs, events })
    this.blocks.push(block)
    this.weight += block.weight
    this.trim(ref.timeS)
  }

  private revert(ref: BlockRef): void {
    const { last } = this
    if (last?.ref.hash === ref.hash) {
      this.blocks.pop()
      this.weight -= last.weight
      this.gone = last
    } else assert(last === undefined, 'the newest block goes first')
    // What the store has of this block is not to be read again, even before the store reverts it.
    this.cutNumber = Math.min(this.cutNumber, ref.parentNumber)
    for (const view of this.views) if (view.cutNumber >= ref.number) view.isOrphaned = true
  }

  /** Forgets blocks beyond the limits that are stored, that no read has open, and that cannot be reverted. */
  private trim(nowS: number): void {
    const { recentBlocksMax, recentEventsMax, recentAgeMaxS } = this.limits
    let storedNumber = this.cutNumber
    for (const view of this.views) storedNumber = Math.min(storedNumber, view.cutNumber)
    let at = this.start
    let { weight } = this
    for (; at < this.blocks.length - 1; at += 1) {
      const block = this.blocks[at]!
      const { number, timeS } = block.ref
      const count = this.blocks.length - at
      const isOver =
        count > recentBlocksMax || weight > recentEventsMax || nowS - timeS > recentAgeMaxS
      const isFinal = number <= this.finalizedNumber || count > this.reorgDepthMax
      if (!isOver || !isFinal || number > storedNumber) break
      weight -= block.weight
    }
    this.drop(at)
  }

  /** Everything before this place in `blocks`. */
  private drop(to: number): void {
    for (let at = this.start; at < to; at += 1) this.weight -= this.blocks[at]!.weight
    this.start = to
    // Moving the rest at each block would cost more than the holes do.
    if (this.start * 2 < this.blocks.length) return
    this.blocks = this.blocks.slice(this.start)
    this.start = 0
  }

  /** Place of the first block that is not below the number. */
  private indexOf(number: number): number {
    return this.placeOf(({ ref }) => ref.number >= number)
  }

  /** Place of the first block of which it is true; it is of all behind it, too. */
  private placeOf(isBehind: (block: RecentBlock) => boolean): number {
    let low = this.start
    let high = this.blocks.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (isBehind(this.blocks[middle]!)) high = middle
      else low = middle + 1
    }
    return low
  }
}
