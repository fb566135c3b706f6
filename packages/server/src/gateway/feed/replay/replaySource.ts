import type { ErrorCode } from '@chaintape/protocol'
import type { BlockRef } from '../../../model/block.ts'
import type { RecentBlock } from '../../recent/recentBlock.ts'
import type { OrphanBlock } from '../../recent/recentBlocks.ts'
import type { ChainMarket } from '../chainMarket.ts'
import type { Subscriber } from '../feed.ts'
import type { FeedLimits } from '../feedLimits.ts'
import type { ItemTarget } from '../params/itemKey.ts'
import type { Push, PushPlace } from '../push.ts'
import type { ResultMark } from '../tradeTexts.ts'
import type { FeedHistory } from './feedHistory.ts'
import type { Place } from './locateCursor.ts'
import type { ReadSlots } from './readSlots.ts'

/** Brings one subscription up to the current market. */
export type TopicReplay = {
  /** Sends the newest state, then makes the subscription live. */
  snapshot(): Promise<void>
  /** Sends what was missed since a position, then makes the subscription live. */
  resume(place: Place): Promise<void>
}

export type ReplayParts = {
  market: ChainMarket
  target: ItemTarget
  subscriber: Subscriber
  history: FeedHistory | null
  slots: ReadSlots
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
export type ReplayEvent = { index: number; push(place: PushPlace, mark: ResultMark): Push }

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
  after: Place
  /** Number of the last block whose stored events are read, inclusive. */
  toNumber: number
  limit: number
}

/** A page of stored events. `next`: the position to continue from; null: the last page. */
type ReplayPage = { events: readonly StoredReplayEvent[]; next: Place | null }

/** Finds the events of an item in the blocks in memory. */
export type RecentSource = {
  /** Returns the item's events of a canonical block, in block order. */
  inBlock(block: RecentBlock): readonly ReplayEvent[]
  /** Events of a reverted block, newest first, the order of their retractions. */
  inOrphan(orphan: OrphanBlock): readonly ReplayEvent[]
}

/** Finds the events of an item in memory and in the store. */
export type ReplaySource = RecentSource & {
  /** Loads stored events, oldest first; null: the store no longer goes back that far. */
  load(history: FeedHistory, query: ReplayQuery): Promise<ReplayPage | null>
  /** Loads the newest stored events of the item up to a block, oldest first. */
  loadNewest(
    history: FeedHistory,
    query: Omit<ReplayQuery, 'after'>,
  ): Promise<readonly StoredReplayEvent[]>
}

/**
 * Finds the events of an item that is not stored. Its current state replaces the events of older
 * blocks.
 */
export type StateSource = RecentSource & {
  /** Push of the item's complete state; null: nothing is known yet. */
  now(mark: ResultMark): Push | null
  /**
   * State that no block contains, for a client that has the events of all blocks; null: nothing to
   * send.
   */
  beside(): Push | null
}
