import type { Logger } from '../../lib/logger.ts'
import type { MarketEvent } from '../../model/marketEvent.ts'
import type { Clock } from '../chain/gatewayChain.ts'
import type { OrphanBlock } from '../chain/recentBlocks.ts'
import type { Scheduler } from '../ground/scheduler.ts'
import type { ScreenerBoards } from '../lists/screenerBoards.ts'
import type { AddressIndex } from './addressIndex.ts'
import type { ChainMarket } from './chainMarket.ts'
import type { PushChannel } from './channel.ts'
import type { FeedLimits, Subscriber } from './feed.ts'
import type { ItemTarget } from './params/itemKey.ts'
import type { TopicParams } from './params/topicParams.ts'
import type { PublishScope } from './publishScope.ts'
import type { ReplayParts, TopicReplay } from './replay/replaySource.ts'
import type { ReplayStore } from './replay/replayStore.ts'

/**
 * A kind of push that clients can subscribe to. Each topic is one file in `topics/` and one line in
 * `topics.ts`.
 */
export type Topic = {
  /** Names that clients subscribe by. Names that share channels or texts belong to one topic. */
  variants: readonly TopicVariant[]
  /** Called once per feed. The returned function is called once per chain. */
  open(context: TopicContext): (market: ChainMarket) => ChainTopic
}

export type TopicVariant = { name: string; params: TopicParams }

export type TopicContext = {
  clock: Clock
  logger: Logger
  /** Stored history; null if the service runs without a store. */
  history: ReplayStore | null
  limits: FeedLimits
  /** Ranks the tokens and pairs that filters select; shared with REST. */
  screener: ScreenerBoards
  scheduler: Scheduler
}

type EventOf<type extends MarketEvent['type']> = Extract<MarketEvent, { type: type }>

/** Handlers that push something for an event, by event type. */
type EventHandlers<args extends readonly unknown[] = []> = {
  readonly [type in MarketEvent['type']]?: (
    scope: PublishScope,
    event: EventOf<type>,
    ...args: args
  ) => void
}

/**
 * A topic on one chain: its subscribers and the pushes they get. The hooks are listed in the order
 * in which they are called.
 */
export type ChainTopic = {
  /** Indexes of the subscribed addresses; empty for a topic about a whole chain. */
  readonly indexes: readonly AddressIndex<unknown>[]
  isEmpty(): boolean
  /** Makes a subscription live. All canonical blocks after `fromSeq` were already sent to it. */
  join(target: ItemTarget, subscriber: Subscriber, fromSeq: number): void
  leave(target: ItemTarget, subscriber: Subscriber): void
  /** Starts a subscription with `since` or `snapshot`. Absent: `join` sends the current state. */
  replay?(parts: ReplayParts): TopicReplay
  /** Channels whose subscribers may opt into revisions. */
  channels?(): Iterable<PushChannel>
  /**
   * Clears ids, which may belong to other pairs and tokens after a revert. `isReplaced`: the whole
   * market was replaced.
   */
  clearIds?(isReplaced: boolean): void

  /**
   * Retract a reverted block for subscribers with revisions: `retract` for each event, newest
   * first, then `retracted`.
   */
  readonly retract?: EventHandlers<[orphan: OrphanBlock]>
  afterRetractions?(scope: PublishScope, orphan: OrphanBlock): void
  /**
   * Push what a block brought or a revert corrected: `publish` for each event in order, then `end`.
   */
  readonly publish?: EventHandlers
  /**
   * `orphan` is the reverted block; null after a commit, or if the reverted block is not in memory.
   */
  afterEvents?(scope: PublishScope, orphan: OrphanBlock | null): void
  /** Called when all topics have pushed what the block brought. */
  afterAllTopics?(scope: PublishScope): void
  /** Called when the market was loaded again, at an older or the same block. */
  reloaded?(scope: PublishScope): void
  /** Called once a second, for pushes that no block causes, such as screener changes. */
  tick?(): void
}
