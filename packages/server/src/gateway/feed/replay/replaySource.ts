import type { BlockRef } from '../../../model/block.ts'
import type { RecentBlock } from '../../recent/recentBlock.ts'
import type { OrphanBlock } from '../../recent/recentBlocks.ts'
import type { ResultMark } from '../jsonText.ts'
import type { Push } from '../push.ts'
import type { PushPlace } from '../textPush.ts'
import type { FeedHistory } from './feedHistory.ts'
import type { Place } from './locateCursor.ts'

/** What one push tells; the index is its place in the block. */
export type ReplayEvent = { index: number; push(place: PushPlace, mark: ResultMark): Push }

/** `ref` undefined: the block is older than the log, and its hash is not known. */
export type StoredReplayEvent = ReplayEvent & {
  number: number
  timeS: number
  ref: BlockRef | undefined
}

export type ReplayQuery = {
  /** Exclusive. */
  after: Place
  /** Last block, inclusive. */
  toNumber: number
  limit: number
}

/** `next`: where there may be more, or null. */
export type ReplayPage = { events: readonly StoredReplayEvent[]; next: Place | null }

/** Where all that an item was and is told can be found again. */
export type ReplaySource = {
  /** In block order. */
  inBlock(block: RecentBlock): readonly ReplayEvent[]
  /** Newest first, as they are reverted. */
  inOrphan(orphan: OrphanBlock): readonly ReplayEvent[]
  /** Oldest first. Null: the store does not go back that far any more. */
  load(history: FeedHistory, query: ReplayQuery): Promise<ReplayPage | null>
  /** The newest of all up to a block, oldest first. */
  loadNewest(
    history: FeedHistory,
    query: Omit<ReplayQuery, 'after'>,
  ): Promise<readonly StoredReplayEvent[]>
}
