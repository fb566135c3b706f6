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

/** How one subscription gets to where the market is. */
export type TopicReplay = {
  /** The newest state, then live. */
  snapshot(): Promise<void>
  /** What was missed since a place, then live. */
  resume(place: Place): Promise<void>
}

export type ReplayParts = {
  market: ChainMarket
  target: ItemTarget
  subscriber: Subscriber
  history: FeedHistory | null
  slots: ReadSlots
  limits: FeedLimits
  /** Makes the subscription live. Called in the same breath as the last of what was missed is sent. */
  join(joinedSeq: number): void
  /** It cannot be resumed: the subscription is over. */
  fail(code: ErrorCode): void
  /** The subscription was ended meanwhile: nothing more may be sent. */
  isStopped(): boolean
}

/** What one push reports; the index is its place in the block. */
export type ReplayEvent = { index: number; push(place: PushPlace, mark: ResultMark): Push }

/** `ref` undefined: the block is older than the log, and its hash is not known. */
export type StoredReplayEvent = ReplayEvent & {
  number: number
  timeS: number
  ref: BlockRef | undefined
}

type ReplayQuery = {
  /** Exclusive. */
  after: Place
  /** Last block, inclusive. */
  toNumber: number
  limit: number
}

/** `next`: where there may be more, or null. */
type ReplayPage = { events: readonly StoredReplayEvent[]; next: Place | null }

/** Where the pushes of an item can be found again that memory knows of. */
export type RecentSource = {
  /** In block order. */
  inBlock(block: RecentBlock): readonly ReplayEvent[]
  /** Newest first, as they are retracted. */
  inOrphan(orphan: OrphanBlock): readonly ReplayEvent[]
}

/** Where all of them can be. */
export type ReplaySource = RecentSource & {
  /** Oldest first. Null: the store does not go back that far any more. */
  load(history: FeedHistory, query: ReplayQuery): Promise<ReplayPage | null>
  /** The newest of all up to a block, oldest first. */
  loadNewest(
    history: FeedHistory,
    query: Omit<ReplayQuery, 'after'>,
  ): Promise<readonly StoredReplayEvent[]>
}

/** Where those of older blocks are not stored, but follow from what is now. */
export type StateSource = RecentSource & {
  /** All of it; null: nothing is known yet. */
  now(mark: ResultMark): Push | null
  /** What no block brings, to one who has all that blocks brought; null: there is nothing. */
  beside(): Push | null
}
