import type { RecentBlock } from '../../recent/recentBlock.ts'
import type { OrphanBlock } from '../../recent/recentBlocks.ts'
import type { PushPlace } from '../push.ts'
import type { ResultMark } from '../tradeTexts.ts'
import { endIndex, formatCursor } from './cursor.ts'
import type { FeedHistory } from './feedHistory.ts'
import { type Place, placeIn } from './locateCursor.ts'
import type {
  ReplayEvent,
  ReplayParts,
  ReplaySource,
  StoredReplayEvent,
  TopicReplay,
} from './replaySource.ts'

/** What one subscription missed, sent in parts until it is where the market is. */
export class ItemReplay implements TopicReplay {
  /** Of the newest block before what was sent. */
  private joinedSeq: number
  private readonly parts: ReplayParts
  private readonly source: ReplaySource

  constructor(parts: ReplayParts, source: ReplaySource) {
    this.parts = parts
    this.source = source
    this.joinedSeq = parts.market.recent.seq
  }

  async resume(from: Place): Promise<void> {
    const { subscriber, history, isStopped, fail } = this.parts
    for (let place: Place | null = from; place !== null && !isStopped(); ) {
      if (this.isInMemory(place)) place = this.fromMemory(place)
      else {
        const next: Place | null | 'unknown' =
          history === null ? 'unknown' : await this.fromStore(place, history)
        if (next === 'unknown') return fail('cursor_unknown')
        place = next ?? this.afterStore()
      }
      if (place !== null) await subscriber.room?.()
    }
  }

  private isInMemory({ number, hash }: Place): boolean {
    const { recent } = this.parts.market
    return recent.find(number)?.ref.hash === hash || recent.orphan(hash) !== undefined
  }

  /** The next part from memory; null when that was the last, and the subscription is live. */
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
    this.parts.join(this.joinedSeq)
    return null
  }

  /**
   * The next part from the store, which ends where memory begins; null when there is no more of it, `unknown` when it
   * does not go back that far any more.
   */
  private async fromStore(place: Place, history: FeedHistory): Promise<Place | null | 'unknown'> {
    const { market, limits, slots } = this.parts
    const { recent, chain } = market
    const { first } = recent
    if (first !== undefined && first.ref.parentHash === place.hash && place.index === endIndex)
      return placeIn(first, -1)
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

  /** All that is stored was sent: live, or on with the blocks that came meanwhile. */
  private afterStore(): Place | null {
    const { first } = this.parts.market.recent
    if (first !== undefined) return placeIn(first, -1)
    this.parts.join(this.joinedSeq)
    return null
  }

  /** The newest of the item, oldest first; asks the store only where memory has too few. */
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
    // Memory may have let go of blocks meanwhile: then what was read does not reach it any more.
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
    this.parts.join(this.joinedSeq)
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

  /** Retracts what the reader has of blocks that are gone, newest first; gives where it is then. */
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

  private send(event: ReplayEvent, place: PushPlace, mark: ResultMark): void {
    this.parts.subscriber.send(event.push(place, mark))
  }
}

/** Beyond the log's retention a block's hash is not known, and then there is no cursor. */
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
