import type { RecentBlock } from '../../recent/recentBlock.ts'
import type { OrphanBlock } from '../../recent/recentBlocks.ts'
import type { PushPlace } from '../push.ts'
import type { ResultMark } from '../tradeTexts.ts'
import { endIndex, formatCursor } from './cursor.ts'
import type { FeedHistory } from './feedHistory.ts'
import { type Place, placeIn } from './locateCursor.ts'
import type {
  RecentSource,
  ReplayEvent,
  ReplayParts,
  ReplaySource,
  StateSource,
  StoredReplayEvent,
  TopicReplay,
} from './replaySource.ts'

/**
 * Replays what one subscription missed, page by page, as far as it is in memory. Then the
 * subscription is live.
 */
abstract class RecentReplay<source extends RecentSource> implements TopicReplay {
  /** The `seq` of the newest block before the first event that was sent. */
  protected joinedSeq: number
  protected readonly parts: ReplayParts
  protected readonly source: source

  constructor(parts: ReplayParts, source: source) {
    this.parts = parts
    this.source = source
    this.joinedSeq = parts.market.recent.seq
  }

  abstract snapshot(): Promise<void>

  async resume(from: Place): Promise<void> {
    const { subscriber, isStopped } = this.parts
    for (let place: Place | null = from; place !== null && !isStopped(); ) {
      place = this.isInMemory(place) ? this.fromMemory(place) : await this.beforeMemory(place)
      if (place !== null) await subscriber.room?.()
    }
  }

  /**
   * Continues from a position older than the blocks in memory. Null: the subscription is live or
   * has ended.
   */
  protected abstract beforeMemory(place: Place): Promise<Place | null>

  /** Makes the subscription live, after all missed events were sent. */
  protected finish(): void {
    this.parts.join(this.joinedSeq)
  }

  protected send(event: ReplayEvent, place: PushPlace, mark: ResultMark): void {
    this.parts.subscriber.send(event.push(place, mark))
  }

  /** The start of memory, if it directly follows the position; else null. */
  protected adjoining({ hash, index }: Place): Place | null {
    const { first } = this.parts.market.recent
    const isAdjoining = first?.ref.parentHash === hash && index === endIndex
    return isAdjoining ? placeIn(first, -1) : null
  }

  private isInMemory({ number, hash }: Place): boolean {
    const { recent } = this.parts.market
    return recent.find(number)?.ref.hash === hash || recent.orphan(hash) !== undefined
  }

  /**
   * Sends the next page from memory. Returns null if it was the last page and the subscription is
   * live.
   */
  private fromMemory(place: Place): Place | null {
    const { market, limits } = this.parts
    const { recent } = market
    const start = recent.find(place.number)
    if (start?.ref.hash !== place.hash) return this.retract(recent.orphan(place.hash)!, place)
    let left = limits.replayPageMax
    let { index } = place
    this.joinedSeq = Math.min(this.joinedSeq, start.seq - 1)
    for (const block of recent.from(place.number)) {
      for (const event of this.source.inBlock(block)) {
        if (event.index <= index) continue
        if (left === 0) return placeIn(block, index)
        left -= 1
        this.send(event, block.place(event.index), '')
        index = event.index
      }
      index = -1
    }
    this.finish()
    return null
  }

  /**
   * Retracts what the client has of reverted blocks, newest first. Returns the position of the
   * client after that.
   */
  private retract(orphan: OrphanBlock, from: Place): Place {
    const { recent } = this.parts.market
    let index = from.index
    let gone = orphan
    for (;;) {
      const { block } = gone
      for (const event of this.source.inOrphan(gone))
        if (event.index <= index) this.send(event, block.retractedPlace(event.index), 'retracted')
      const { number, hash } = block.parent
      const isThere = recent.find(number)?.ref.hash === hash
      const before = isThere ? undefined : recent.orphan(hash)
      if (before === undefined) return { number, hash, index: endIndex, timeS: 0 }
      gone = before
      index = endIndex
    }
  }
}

/**
 * Replay of an item whose pushes are stored. Events older than the blocks in memory come from the
 * store.
 */
export class ItemReplay extends RecentReplay<ReplaySource> {
  protected async beforeMemory(place: Place): Promise<Place | null> {
    const { history, fail } = this.parts
    const next = history === null ? 'unknown' : await this.fromStore(place, history)
    if (next !== 'unknown') return next ?? this.afterStore()
    fail('cursor_unknown')
    return null
  }

  /**
   * Sends the next page from the store, which ends where the blocks in memory begin. Returns null
   * at the end, and `unknown` if the store no longer goes back that far.
   */
  private async fromStore(place: Place, history: FeedHistory): Promise<Place | null | 'unknown'> {
    const { market, limits, slots } = this.parts
    const { recent, chain } = market
    const { first } = recent
    const next = this.adjoining(place)
    if (next !== null) return next
    const toNumber = first === undefined ? chain.reads.head()!.number : first.ref.parentNumber
    const page = await slots.run(() =>
      this.source.load(history, { after: place, toNumber, limit: limits.replayPageMax }),
    )
    if (page === null) return 'unknown'
    if (this.parts.isStopped()) return null
    this.joinedSeq = 0
    for (const event of page.events) this.send(event, placeOfStored(event), '')
    if (page.next !== null) return page.next
    return first === undefined ? null : placeIn(first, -1)
  }

  /**
   * Continues after the last stored event: with blocks that arrived meanwhile, else the
   * subscription becomes live.
   */
  private afterStore(): Place | null {
    const { first } = this.parts.market.recent
    if (first !== undefined) return placeIn(first, -1)
    this.finish()
    return null
  }

  /**
   * Sends the newest events of the item, oldest first. Reads the store only if memory has too few
   * events.
   */
  async snapshot(): Promise<void> {
    const { market, limits, history, slots } = this.parts
    const max = limits.snapshotEventsMax
    const { chain, recent } = market
    const toNumber =
      recent.first === undefined ? chain.reads.head()?.number : recent.first.ref.parentNumber
    if (history === null || toNumber === undefined || this.newest(max).length >= max)
      return this.sendNewest(max, [])
    const stored = await slots.run(() => this.source.loadNewest(history, { toNumber, limit: max }))
    if (this.parts.isStopped()) return
    // Memory may have dropped blocks during the read, which leaves a gap after the stored events.
    // Retry.
    if (recent.first !== undefined && recent.first.ref.parentNumber > toNumber)
      return this.snapshot()
    this.sendNewest(max, stored)
  }

  private sendNewest(max: number, stored: readonly StoredReplayEvent[]): void {
    const inMemory = this.newest(max)
    const fromStore = inMemory.length >= max ? [] : stored.slice(inMemory.length - max)
    for (const event of fromStore) this.send(event, placeOfStored(event), 'snapshot')
    for (const { block, event } of inMemory) this.send(event, block.place(event.index), 'snapshot')
    const oldest = inMemory[0]?.block.seq
    if (oldest !== undefined) this.joinedSeq = Math.min(this.joinedSeq, oldest - 1)
    this.finish()
  }

  private newest(max: number) {
    const { market } = this.parts
    const found: { block: RecentBlock; event: ReplayEvent }[] = []
    for (const block of market.recent.newestFirst()) {
      for (const event of this.source.inBlock(block).toReversed()) {
        found.push({ block, event })
        if (found.length === max) return found.reverse()
      }
    }
    return found.reverse()
  }
}

/**
 * Cursors and times of a stored event. A block older than the log has no known hash, and so no
 * cursor.
 */
function placeOfStored({ index, timeS, ref }: StoredReplayEvent): PushPlace {
  if (ref === undefined)
    return { cursor: '', cursorBefore: '', blockTimeS: timeS, receivedMs: null }
  const parent = { number: ref.parentNumber, hash: ref.parentHash }
  return {
    cursor: formatCursor(ref, index),
    cursorBefore: index > 0 ? formatCursor(ref, index - 1) : formatCursor(parent, endIndex),
    blockTimeS: timeS,
    receivedMs: null,
  }
}

/**
 * Replay of an item whose pushes are not stored. A client that asks for a snapshot, or resumes from
 * before memory, is sent the current state.
 */
export class StateReplay extends RecentReplay<StateSource> {
  async snapshot(): Promise<void> {
    this.sendNow('snapshot')
  }

  protected async beforeMemory(place: Place): Promise<Place | null> {
    const next = this.adjoining(place)
    if (next === null) this.sendNow('')
    return next
  }

  protected override finish(): void {
    const rest = this.source.beside()
    if (rest !== null) this.parts.subscriber.send(rest)
    super.finish()
  }

  /**
   * Sends the current state and makes the subscription live. The state includes all blocks so far.
   */
  private sendNow(mark: ResultMark): void {
    const { subscriber, join, market } = this.parts
    const state = this.source.now(mark)
    if (state !== null) subscriber.send(state)
    join(market.recent.seq)
  }
}
