import { blockEndIndex, formatCursor } from '../../chain/cursor.ts'
import type { PushPosition, RecentBlock } from '../../chain/recentBlock.ts'
import type { OrphanBlock } from '../../chain/recentBlocks.ts'
import type { ResultMark } from '../tradeTexts.ts'
import { type ResolvedCursor, resolvedCursorIn } from './locateCursor.ts'
import type {
  MemorySource,
  ReplayEvent,
  ReplayParts,
  ReplaySource,
  StateSource,
  StoredReplayEvent,
  TopicReplay,
} from './replaySource.ts'
import type { ReplayStore } from './replayStore.ts'

/**
 * Replays what one subscription missed, page by page, as far as it is in memory. Then the
 * subscription is live.
 */
abstract class MemoryReplay<source extends MemorySource> implements TopicReplay {
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

  async resume(from: ResolvedCursor): Promise<void> {
    const { subscriber, isStopped } = this.parts
    for (let place: ResolvedCursor | null = from; place !== null && !isStopped(); ) {
      place = this.#isInMemory(place)
        ? this.#fromMemory(place)
        : await this.continueBeforeMemory(place)
      if (place !== null) await subscriber.drained?.()
    }
  }

  /**
   * Continues from a position older than the blocks in memory. Null: the subscription is live or
   * has ended.
   */
  protected abstract continueBeforeMemory(place: ResolvedCursor): Promise<ResolvedCursor | null>

  /** Makes the subscription live, after all missed events were sent. */
  protected goLive(): void {
    this.parts.join(this.joinedSeq)
  }

  protected send(event: ReplayEvent, place: PushPosition, mark: ResultMark): void {
    this.parts.subscriber.send(event.push(place, mark))
  }

  /** The start of memory, if it directly follows the position; else null. */
  protected memoryStartAfter({ hash, index }: ResolvedCursor): ResolvedCursor | null {
    const { first } = this.parts.market.recent
    const isAdjoining = first?.ref.parentHash === hash && index === blockEndIndex
    return isAdjoining ? resolvedCursorIn(first, -1) : null
  }

  #isInMemory({ number, hash }: ResolvedCursor): boolean {
    const { recent } = this.parts.market
    return recent.find(number)?.ref.hash === hash || recent.orphan(hash) !== undefined
  }

  /**
   * Sends the next page from memory. Returns null if it was the last page and the subscription is
   * live.
   */
  #fromMemory(place: ResolvedCursor): ResolvedCursor | null {
    const { market, limits } = this.parts
    const { recent } = market
    const start = recent.find(place.number)
    if (start?.ref.hash !== place.hash) return this.#retract(recent.orphan(place.hash)!, place)
    let left = limits.replayPageMax
    let { index } = place
    this.joinedSeq = Math.min(this.joinedSeq, start.seq - 1)
    for (const block of recent.blocksFrom(place.number)) {
      for (const event of this.source.eventsIn(block)) {
        if (event.index <= index) continue
        if (left === 0) return resolvedCursorIn(block, index)
        left -= 1
        this.send(event, block.positionOf(event.index), '')
        index = event.index
      }
      index = -1
    }
    this.goLive()
    return null
  }

  /**
   * Retracts what the client has of reverted blocks, newest first. Returns the position of the
   * client after that.
   */
  #retract(orphan: OrphanBlock, from: ResolvedCursor): ResolvedCursor {
    const { recent } = this.parts.market
    let index = from.index
    let gone = orphan
    for (;;) {
      const { block } = gone
      for (const event of this.source.revertedEventsIn(gone))
        if (event.index <= index)
          this.send(event, block.retractedPositionOf(event.index), 'retracted')
      const { number, hash } = block.parent
      const isThere = recent.find(number)?.ref.hash === hash
      const before = isThere ? undefined : recent.orphan(hash)
      if (before === undefined) return { number, hash, index: blockEndIndex, timeS: 0 }
      gone = before
      index = blockEndIndex
    }
  }
}

/**
 * Replay of an item whose pushes are stored. Events older than the blocks in memory come from the
 * store.
 */
export class EventReplay extends MemoryReplay<ReplaySource> {
  protected async continueBeforeMemory(place: ResolvedCursor): Promise<ResolvedCursor | null> {
    const { history, fail } = this.parts
    const next = history === null ? 'unknown' : await this.#fromStore(place, history)
    if (next !== 'unknown') return next ?? this.#afterStore()
    fail('cursor_unknown')
    return null
  }

  /**
   * Sends the next page from the store, which ends where the blocks in memory begin. Returns null
   * at the end, and `unknown` if the store no longer goes back that far.
   */
  async #fromStore(
    place: ResolvedCursor,
    history: ReplayStore,
  ): Promise<ResolvedCursor | null | 'unknown'> {
    const { market, limits, readLimiter } = this.parts
    const { recent, chain } = market
    const { first } = recent
    const next = this.memoryStartAfter(place)
    if (next !== null) return next
    const toNumber = first === undefined ? chain.reads.head()!.number : first.ref.parentNumber
    const page = await readLimiter.run(() =>
      this.source.load(history, { after: place, toNumber, limit: limits.replayPageMax }),
    )
    if (page === null) return 'unknown'
    if (this.parts.isStopped()) return null
    this.joinedSeq = 0
    for (const event of page.events) this.send(event, positionOfStored(event), '')
    if (page.next !== null) return page.next
    return first === undefined ? null : resolvedCursorIn(first, -1)
  }

  /**
   * Continues after the last stored event: with blocks that arrived meanwhile, else the
   * subscription becomes live.
   */
  #afterStore(): ResolvedCursor | null {
    const { first } = this.parts.market.recent
    if (first !== undefined) return resolvedCursorIn(first, -1)
    this.goLive()
    return null
  }

  /**
   * Sends the newest events of the item, oldest first. Reads the store only if memory has too few
   * events.
   */
  async snapshot(): Promise<void> {
    const { market, limits, history, readLimiter } = this.parts
    const max = limits.snapshotEventsMax
    const { chain, recent } = market
    const toNumber =
      recent.first === undefined ? chain.reads.head()?.number : recent.first.ref.parentNumber
    if (history === null || toNumber === undefined || this.#newest(max).length >= max)
      return this.#sendNewest(max, [])
    const stored = await readLimiter.run(() =>
      this.source.loadNewest(history, { toNumber, limit: max }),
    )
    if (this.parts.isStopped()) return
    // Memory may have dropped blocks during the read, which leaves a gap after the stored events.
    // Retry.
    if (recent.first !== undefined && recent.first.ref.parentNumber > toNumber)
      return this.snapshot()
    this.#sendNewest(max, stored)
  }

  #sendNewest(max: number, stored: readonly StoredReplayEvent[]): void {
    const inMemory = this.#newest(max)
    const fromStore = inMemory.length >= max ? [] : stored.slice(inMemory.length - max)
    for (const event of fromStore) this.send(event, positionOfStored(event), 'snapshot')
    for (const { block, event } of inMemory)
      this.send(event, block.positionOf(event.index), 'snapshot')
    const oldest = inMemory[0]?.block.seq
    if (oldest !== undefined) this.joinedSeq = Math.min(this.joinedSeq, oldest - 1)
    this.goLive()
  }

  #newest(max: number) {
    const { market } = this.parts
    const found: { block: RecentBlock; event: ReplayEvent }[] = []
    for (const block of market.recent.newestFirst()) {
      for (const event of this.source.eventsIn(block).toReversed()) {
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
function positionOfStored({ index, timeS, ref }: StoredReplayEvent): PushPosition {
  if (ref === undefined)
    return { cursor: '', cursorBefore: '', blockTimeS: timeS, receivedMs: null }
  const parent = { number: ref.parentNumber, hash: ref.parentHash }
  return {
    cursor: formatCursor(ref, index),
    cursorBefore: index > 0 ? formatCursor(ref, index - 1) : formatCursor(parent, blockEndIndex),
    blockTimeS: timeS,
    receivedMs: null,
  }
}

/**
 * Replay of an item whose pushes are not stored. A client that asks for a snapshot, or resumes from
 * before memory, is sent the current state.
 */
export class StateReplay extends MemoryReplay<StateSource> {
  async snapshot(): Promise<void> {
    this.#sendState('snapshot')
  }

  protected async continueBeforeMemory(place: ResolvedCursor): Promise<ResolvedCursor | null> {
    const next = this.memoryStartAfter(place)
    if (next === null) this.#sendState('')
    return next
  }

  protected override goLive(): void {
    const rest = this.source.extraState()
    if (rest !== null) this.parts.subscriber.send(rest)
    super.goLive()
  }

  /**
   * Sends the current state and makes the subscription live. The state includes all blocks so far.
   */
  #sendState(mark: ResultMark): void {
    const { subscriber, join, market } = this.parts
    const state = this.source.currentState(mark)
    if (state !== null) subscriber.send(state)
    join(market.recent.seq)
  }
}
