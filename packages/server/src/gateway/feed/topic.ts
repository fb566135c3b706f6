import type { Logger } from '../../lib/logger.ts'
import type { MarketEvent } from '../../model/marketEvent.ts'
import type { Clock } from '../gatewayChain.ts'
import type { OrphanBlock } from '../recent/recentBlocks.ts'
import type { Screener } from '../screener/screener.ts'
import type { Turns } from '../turns/turns.ts'
import type { AddressIndex } from './addressIndex.ts'
import type { ChainMarket } from './chainMarket.ts'
import type { Channel } from './channel.ts'
import type { EntryScope } from './entryScope.ts'
import type { Subscriber } from './feed.ts'
import type { FeedLimits } from './feedLimits.ts'
import type { ItemTarget } from './params/itemKey.ts'
import type { TopicParams } from './params/topicParams.ts'
import type { FeedHistory } from './replay/feedHistory.ts'
import type { ReplayParts, TopicReplay } from './replay/replaySource.ts'

/**
 * A kind of push that clients can subscribe to. Each topic is one file in `topics/` and one line in
 * `topics.ts`.
 */
export type Topic = {
  /** Names that clients subscribe by. Names that share channels or texts belong to one topic. */
  words: readonly TopicWord[]
  /** Called once per feed. The returned function is called once per chain. */
  open(context: TopicContext): (market: ChainMarket) => ChainTopic
}

export type TopicWord = { name: string; params: TopicParams }

export type TopicContext = {
  clock: Clock
  logger: Logger
  /** Stored history; null if the service runs without a store. */
  history: FeedHistory | null
  limits: FeedLimits
  /** Ranks the tokens and pairs that filters select; shared with REST. */
  screener: Screener
  turns: Turns
}

type EventOf<type extends MarketEvent['type']> = Extract<MarketEvent, { type: type }>

/** Handlers that push something for an event, by event type. */
type EventHandlers<args extends readonly unknown[] = []> = {
  readonly [type in MarketEvent['type']]?: (
    scope: EntryScope,
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
  channels?(): Iterable<Channel>
  /**
   * Clears ids, which may belong to other pairs and tokens after a revert. `isReplaced`: the whole
   * market was replaced.
   */
  forget?(isReplaced: boolean): void

  /**
   * Retract a reverted block for subscribers with revisions: `retract` for each event, newest
   * first, then `retracted`.
   */
  readonly retract?: EventHandlers<[orphan: OrphanBlock]>
  retracted?(scope: EntryScope, orphan: OrphanBlock): void
  /**
   * Push what a block brought or a revert corrected: `publish` for each event in order, then `end`.
   */
  readonly publish?: EventHandlers
  /**
   * `orphan` is the reverted block; null after a commit, or if the reverted block is not in memory.
   */
  end?(scope: EntryScope, orphan: OrphanBlock | null): void
  /** Called when all topics have pushed what the block brought. */
  settled?(scope: EntryScope): void
  /** Called when the market was loaded again, at an older or the same block. */
  rewound?(scope: EntryScope): void
  /** Called once a second, for pushes that no block causes, such as screener changes. */
  tick?(): void
}
