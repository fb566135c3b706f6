import { strict as assert } from 'node:assert'
import type { BlockRef } from '../../model/block.ts'
import type { FinishedBlock } from '../../model/finishedBlock.ts'
import type { AppliedEntry } from '../../model/logEntry.ts'
import type { MarketEvent } from '../../model/marketEvent.ts'
import { hash8Of } from './cursor.ts'
import type { PairFacts, TokenFacts } from './pairFacts.ts'
import { RecentBlock } from './recentBlock.ts'

/**
 * Limits on blocks that are kept only for resuming. Unstored and revertible blocks are always kept.
 */
export type RecentLimits = {
  /** Maximum number of blocks kept in memory for resuming. */
  recentBlocksMax: number
  /** Maximum number of market events in all blocks in memory. */
  recentEventsMax: number
  /** Maximum age of a block that is kept only for resuming. */
  recentAgeMaxS: number
  /** Maximum number of reverted blocks kept, so that resuming clients can be sent retractions. */
  orphanBlocksMax: number
}

const defaultRecentLimits: RecentLimits = {
  // 9,000 blocks are 15 minutes of a chain with blocks of 0.1 s.
  recentBlocksMax: 9_000,
  // An event takes about 600 bytes, so this is 120 MB a chain at most.
  recentEventsMax: 200_000,
  recentAgeMaxS: 900,
  orphanBlocksMax: 256,
}

/**
 * A reverted block with the facts of its pairs and tokens, whose ids may belong to others by now.
 */
export type OrphanBlock = {
  block: RecentBlock
  /** Facts of the pairs in the reverted block. */
  facts: ReadonlyMap<number, PairFacts>
  /** Facts of the tokens whose holder count the reverted block had changed. */
  tokens: ReadonlyMap<number, TokenFacts>
}

/**
 * A fixed cut between store and memory for the duration of one read. Stored rows up to `cutNumber`
 * and the blocks in memory above it are the whole history, each block once, even if blocks are
 * stored or reverted meanwhile.
 */
export type RecentBlocksView = {
  /** Blocks up to this number are canonical and stored; -1: no block is stored. */
  readonly cutNumber: number
  /**
   * Canonical blocks above the cut, oldest first; null: a block below the cut was reverted since.
   */
  blocks(): readonly RecentBlock[] | null
  /** Releases the blocks that this view keeps in memory. */
  close(): void
}

export type RecentBlocksOptions = {
  /** Sequence of the last entry that was applied before; this entry is stored. */
  seq: number
  /** Number of the last stored block; -1: no block is stored. */
  number: number
  /** Number of the newest final block. @default no block is final */
  finalizedNumber?: number | undefined
  reorgDepthMax: number
  limits?: Partial<RecentLimits> | undefined
  /**
   * Continues `seq` after that of another chain that had the same name. Subscribers remember the
   * `seq` at which they joined, so it must not fall.
   */
  afterSeq?: number | undefined
}

/**
 * The newest blocks of a chain without a gap: unstored blocks, revertible blocks, some more to
 * resume from, and reverted blocks. History, wallets and the feed all read them here.
 */
export class RecentBlocks {
  readonly name = 'recent history'
  /**
   * The block that the newest entry reverted; null: the entry reverted no block, or one that is not
   * in memory.
   */
  lastReverted: RecentBlock | null = null
  readonly #limits: RecentLimits
  readonly #reorgDepthMax: number
  /** Offset between `seq` here and sequences of the log. */
  readonly #seqBase: number
  /** Blocks oldest first, linked by parent hash. Blocks before index `start` were dropped. */
  #blocks: RecentBlock[] = []
  #start = 0
  #weight = 0
  #orphans: OrphanBlock[] = []
  readonly #views = new Set<{ cutNumber: number; isOrphaned: boolean }>()
  #lastSeq: number
  #cutNumber: number
  #finalizedNumber: number

  constructor({ seq, number, reorgDepthMax, limits, ...options }: RecentBlocksOptions) {
    this.#limits = { ...defaultRecentLimits, ...limits }
    this.#reorgDepthMax = reorgDepthMax
    this.#seqBase = Math.max(0, (options.afterSeq ?? 0) - seq)
    this.#lastSeq = this.#seqBase + seq
    this.#cutNumber = number
    this.#finalizedNumber = options.finalizedNumber ?? -1
  }

  get first(): RecentBlock | undefined {
    return this.#blocks[this.#start]
  }

  get last(): RecentBlock | undefined {
    return this.#start < this.#blocks.length ? this.#blocks.at(-1) : undefined
  }

  /** The `seq` of the newest applied entry. */
  get seq(): number {
    return this.#lastSeq
  }

  get orphanCount(): number {
    return this.#orphans.length
  }

  /** Takes an applied log entry, before all other consumers of the entry. */
  applied({ seq, entry, events }: Pick<AppliedEntry, 'seq' | 'entry' | 'events'>): void {
    this.#lastSeq = this.#seqBase + seq
    this.lastReverted = null
    if (entry.type === 'commit') this.#commit(entry.block, events)
    else if (entry.type === 'revert') this.#revert(entry.ref)
    else if (entry.type === 'finalize') this.#finalizedNumber = entry.ref.number
  }

  /** Called when all entries up to this sequence of the log are stored. */
  persisted(seq: number): void {
    // If the commit of a canonical block is stored, all its ancestors are stored as well.
    const at = this.#firstIndexWhere((block) => block.seq > this.#seqBase + seq) - 1
    if (at >= this.#start) this.#cutNumber = Math.max(this.#cutNumber, this.#blocks[at]!.ref.number)
  }

  openView(): RecentBlocksView {
    const view = { cutNumber: this.#cutNumber, isOrphaned: false }
    this.#views.add(view)
    return {
      cutNumber: view.cutNumber,
      blocks: () => {
        if (view.isOrphaned) return null
        return this.#blocks.slice(this.#firstIndexWhere(({ ref }) => ref.number > view.cutNumber))
      },
      close: () => void this.#views.delete(view),
    }
  }

  /** Drops all blocks but the newest `count`. */
  keepNewest(count: number): void {
    this.#dropBefore(Math.max(this.#start, this.#blocks.length - count))
  }

  addOrphan(findOrphan: OrphanBlock): void {
    this.#orphans.push(findOrphan)
    if (this.#orphans.length > this.#limits.orphanBlocksMax) this.#orphans.shift()
  }

  /** The newest reverted block with this hash. */
  orphan(hash: string): OrphanBlock | undefined {
    return this.#orphans.findLast(({ block }) => block.ref.hash === hash)
  }

  findOrphanAt(number: number, hash8: string): OrphanBlock | undefined {
    return this.#orphans.findLast(
      ({ block: { ref } }) => ref.number === number && hash8Of(ref.hash) === hash8,
    )
  }

  /** Finds the block with this number. Numbers rise but may skip. */
  find(number: number): RecentBlock | undefined {
    const block = this.#blocks[this.#indexOf(number)]
    return block?.ref.number === number ? block : undefined
  }

  /** The newest block with this number or a lower one. */
  findUpTo(number: number): RecentBlock | undefined {
    const at = this.#firstIndexWhere(({ ref }) => ref.number > number)
    return at > this.#start ? this.#blocks[at - 1] : undefined
  }

  /** Yields the blocks from a number on, oldest first. */
  *blocksFrom(number: number): Generator<RecentBlock, void, undefined> {
    for (let at = this.#indexOf(number); at < this.#blocks.length; at += 1) yield this.#blocks[at]!
  }

  *newestFirst(): Generator<RecentBlock, void, undefined> {
    for (let at = this.#blocks.length - 1; at >= this.#start; at -= 1) yield this.#blocks[at]!
  }

  #commit({ ref, receivedMs }: FinishedBlock, events: readonly MarketEvent[]): void {
    const { last } = this
    assert(last === undefined || last.ref.hash === ref.parentHash, 'blocks link by parent hash')
    const block = new RecentBlock({ seq: this.#lastSeq, ref, receivedMs, events })
    this.#blocks.push(block)
    this.#weight += block.weight
    this.#trim(ref.timeS)
  }

  #revert(ref: BlockRef): void {
    const { last } = this
    if (last?.ref.hash === ref.hash) {
      this.#blocks.pop()
      this.#weight -= last.weight
      this.lastReverted = last
    } else assert(last === undefined, 'the newest block is reverted first')
    // Stored rows of the reverted block must not be read any more, even before the store reverts
    // them.
    this.#cutNumber = Math.min(this.#cutNumber, ref.parentNumber)
    for (const view of this.#views) if (view.cutNumber >= ref.number) view.isOrphaned = true
  }

  /** Drops blocks beyond the limits, if they are stored, final and not used by an open view. */
  #trim(nowS: number): void {
    const { recentBlocksMax, recentEventsMax, recentAgeMaxS } = this.#limits
    let storedNumber = this.#cutNumber
    for (const view of this.#views) storedNumber = Math.min(storedNumber, view.cutNumber)
    let at = this.#start
    let weight = this.#weight
    for (; at < this.#blocks.length - 1; at += 1) {
      const block = this.#blocks[at]!
      const { number, timeS } = block.ref
      const count = this.#blocks.length - at
      const isOver =
        count > recentBlocksMax || weight > recentEventsMax || nowS - timeS > recentAgeMaxS
      const isFinal = number <= this.#finalizedNumber || count > this.#reorgDepthMax
      if (!isOver || !isFinal || number > storedNumber) break
      weight -= block.weight
    }
    this.#dropBefore(at)
  }

  /** Drops all blocks before this index of `blocks`. */
  #dropBefore(to: number): void {
    for (let at = this.#start; at < to; at += 1) this.#weight -= this.#blocks[at]!.weight
    this.#start = to
    // Compacting the array at each block would cost more than its unused start.
    if (this.#start * 2 < this.#blocks.length) return
    this.#blocks = this.#blocks.slice(this.#start)
    this.#start = 0
  }

  /** Index of the first block with this number or a higher one. */
  #indexOf(number: number): number {
    return this.#firstIndexWhere(({ ref }) => ref.number >= number)
  }

  /**
   * Index of the first block that passes the test, by binary search. All later blocks must pass as
   * well.
   */
  #firstIndexWhere(isBehind: (block: RecentBlock) => boolean): number {
    let low = this.#start
    let high = this.#blocks.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (isBehind(this.#blocks[middle]!)) high = middle
      else low = middle + 1
    }
    return low
  }
}
