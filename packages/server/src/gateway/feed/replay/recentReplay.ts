import type { OrphanBlock } from '../../recent/recentBlocks.ts'
import type { PushPlace } from '../push.ts'
import type { ResultMark } from '../tradeTexts.ts'
import { endIndex } from './cursor.ts'
import { type Place, placeIn } from './locateCursor.ts'
import type { RecentSource, ReplayEvent, ReplayParts, TopicReplay } from './replaySource.ts'

/**
 * Replays what one subscription missed, page by page, as far as it is in memory. Then the
 * subscription is live.
 */
export abstract class RecentReplay<source extends RecentSource> implements TopicReplay {
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
