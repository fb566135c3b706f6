import type { ErrorCode } from '@chaintape/protocol'
import type { BlockRef } from '../../../model/block.ts'
import type { PushPosition, RecentBlock } from '../../chain/recentBlock.ts'
import type { OrphanBlock } from '../../chain/recentBlocks.ts'
import type { ChainMarket } from '../chainMarket.ts'
import type { FeedLimits, Subscriber } from '../feed.ts'
import type { ItemTarget } from '../params/itemKey.ts'
import type { Push } from '../push.ts'
import type { ResultMark } from '../tradeTexts.ts'
import type { ResolvedCursor } from './locateCursor.ts'
import type { ReadLimiter, ReplayStore } from './replayStore.ts'

/** Brings one subscription up to the current market. */
export type TopicReplay = {
  /** Sends the newest state, then makes the subscription live. */
  snapshot(): Promise<void>
  /** Sends what was missed since a position, then makes the subscription live. */
  resume(place: ResolvedCursor): Promise<void>
}

export type ReplayParts = {
  market: ChainMarket
  target: ItemTarget
  subscriber: Subscriber
  history: ReplayStore | null
  readLimiter: ReadLimiter
  limits: FeedLimits
  /**
   * Makes the subscription live. Call synchronously after the last missed push, so that no block
   * comes between.
   */
  join(joinedSeq: number): void
  /** Ends the subscription with an error, because it cannot be resumed. */
  fail(code: ErrorCode): void
  /** True: the subscription was ended meanwhile, so nothing more may be sent. */
  isStopped(): boolean
}

/** One event to replay. `index` is its position in the block. */
export type ReplayEvent = { index: number; push(place: PushPosition, mark: ResultMark): Push }

/**
 * An event read from the store. `ref` is undefined for a block older than the log, whose hash is
 * unknown.
 */
export type StoredReplayEvent = ReplayEvent & {
  number: number
  timeS: number
  ref: BlockRef | undefined
}

type ReplayQuery = {
  /** Position after which stored events are read, exclusive. */
  after: ResolvedCursor
  /** Number of the last block whose stored events are read, inclusive. */
  toNumber: number
  limit: number
}

/** A page of stored events. `next`: the position to continue from; null: the last page. */
type ReplayPage = { events: readonly StoredReplayEvent[]; next: ResolvedCursor | null }

/** Finds the events of an item in the blocks in memory. */
export type MemorySource = {
  /** Returns the item's events of a canonical block, in block order. */
  eventsIn(block: RecentBlock): readonly ReplayEvent[]
  /** Events of a reverted block, newest first, the order of their retractions. */
  revertedEventsIn(orphan: OrphanBlock): readonly ReplayEvent[]
}

/** Finds the events of an item in memory and in the store. */
export type ReplaySource = MemorySource & {
  /** Loads stored events, oldest first; null: the store no longer goes back that far. */
  load(history: ReplayStore, query: ReplayQuery): Promise<ReplayPage | null>
  /** Loads the newest stored events of the item up to a block, oldest first. */
  loadNewest(
    history: ReplayStore,
    query: Omit<ReplayQuery, 'after'>,
  ): Promise<readonly StoredReplayEvent[]>
}

/**
 * Finds the events of an item that is not stored. Its current state replaces the events of older
 * blocks.
 */
export type StateSource = MemorySource & {
  /** Push of the item's complete state; null: nothing is known yet. */
  currentState(mark: ResultMark): Push | null
  /**
   * State that no block contains, for a client that has the events of all blocks; null: nothing to
   * send.
   */
  extraState(): Push | null
}
