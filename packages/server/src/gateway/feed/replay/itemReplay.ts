import type { RecentBlock } from '../../recent/recentBlock.ts'
import type { PushPlace } from '../push.ts'
import { endIndex, formatCursor } from './cursor.ts'
import type { FeedHistory } from './feedHistory.ts'
import { type Place, placeIn } from './locateCursor.ts'
import { RecentReplay } from './recentReplay.ts'
import type { ReplayEvent, ReplaySource, StoredReplayEvent } from './replaySource.ts'

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
