import type { BlockRef } from '../../model/block.ts'
import { hash8Of } from './cursor.ts'
import type { FeedLimits } from './feedLimits.ts'
import type { PairFacts } from './pairFacts.ts'
import { RecentBlock, type RecentBlockParts } from './recentBlock.ts'

/** A block that was taken back, with the facts of the pairs it traded: their ids may mean others by now. */
export type OrphanBlock = { block: RecentBlock; facts: ReadonlyMap<number, PairFacts> }

/** Which blocks must be kept: those not stored yet, and those that can be taken back. */
export type KeptFrom = {
  persistedNumber: number
  finalizedNumber: number
  reorgDepthMax: number
  nowS: number
}

/** The newest blocks of a chain, without a gap, and those that were taken back. */
export class RecentBlocks {
  private readonly limits: FeedLimits
  /** Oldest first, linked by parent hash. Those before `start` have been dropped. */
  private blocks: RecentBlock[] = []
  private start = 0
  private weight = 0
  private orphans: OrphanBlock[] = []
  private lastSeq: number

  /** `seq` goes on after this one: those who listen remember at which they joined. */
  constructor(limits: FeedLimits, afterSeq = 0) {
    this.limits = limits
    this.lastSeq = afterSeq
  }

  get first(): RecentBlock | undefined {
    return this.blocks[this.start]
  }

  get last(): RecentBlock | undefined {
    return this.start < this.blocks.length ? this.blocks.at(-1) : undefined
  }

  /** Of the newest step: a block that came, or one that was taken back. */
  get seq(): number {
    return this.lastSeq
  }

  get orphanCount(): number {
    return this.orphans.length
  }

  commit(parts: Omit<RecentBlockParts, 'seq' | 'parentNumber'>): RecentBlock {
    this.lastSeq += 1
    const { last } = this
    const isLinked = last?.ref.hash === parts.ref.parentHash
    // Blocks that do not follow each other cannot be replayed as if they did.
    if (last !== undefined && !isLinked) this.drop(this.blocks.length)
    const parentNumber = isLinked && last !== undefined ? last.ref.number : parts.ref.number - 1
    const block = new RecentBlock({ ...parts, seq: this.lastSeq, parentNumber })
    this.blocks.push(block)
    this.weight += block.weight
    return block
  }

  /** Takes the newest block away; null when it is not here. */
  revert({ hash }: BlockRef): RecentBlock | null {
    const { last } = this
    if (last?.ref.hash !== hash) return null
    this.blocks.pop()
    this.weight -= last.weight
    this.lastSeq += 1
    return last
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
    const at = this.indexOf(number)
    const block = this.blocks[at]
    return at >= this.start && block?.ref.number === number ? block : undefined
  }

  /** The newest block whose number is not above this one. */
  findUpTo(number: number): RecentBlock | undefined {
    const at = this.indexOf(number)
    if (at >= this.start && this.blocks[at]?.ref.number === number) return this.blocks[at]
    return at > this.start ? this.blocks[at - 1] : undefined
  }

  /** From the block of this number on, oldest first. */
  *from(number: number): Generator<RecentBlock, void, undefined> {
    for (let at = Math.max(this.start, this.indexOf(number)); at < this.blocks.length; at += 1)
      yield this.blocks[at]!
  }

  *newestFirst(): Generator<RecentBlock, void, undefined> {
    for (let at = this.blocks.length - 1; at >= this.start; at -= 1) yield this.blocks[at]!
  }

  trim({ persistedNumber, finalizedNumber, reorgDepthMax, nowS }: KeptFrom): void {
    const { recentBlocksMax, recentEventsMax, recentAgeMaxS } = this.limits
    let at = this.start
    let { weight } = this
    for (; at < this.blocks.length - 1; at += 1) {
      const block = this.blocks[at]!
      const { number, timeS } = block.ref
      const count = this.blocks.length - at
      const isOver =
        count > recentBlocksMax || weight > recentEventsMax || nowS - timeS > recentAgeMaxS
      const isSettled =
        number <= persistedNumber && (number <= finalizedNumber || count > reorgDepthMax)
      if (!isOver || !isSettled) break
      weight -= block.weight
    }
    this.drop(at)
  }

  clear(): void {
    this.drop(this.blocks.length)
    this.orphans = []
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
    let low = this.start
    let high = this.blocks.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.blocks[middle]!.ref.number < number) low = middle + 1
      else high = middle
    }
    return low
  }
}
