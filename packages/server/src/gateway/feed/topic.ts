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

/** What can be subscribed, with all that is particular to it: one file in `topics/`, one line in `topics.ts`. */
export type Topic = {
  /** As clients call it. Words that share channels or texts are one topic. */
  words: readonly TopicWord[]
  /** Called once per feed; what it gives is called once per chain. */
  open(context: TopicContext): (market: ChainMarket) => ChainTopic
}

export type TopicWord = { name: string; params: TopicParams }

export type TopicContext = {
  clock: Clock
  logger: Logger
  /** Null: there is no store. */
  history: FeedHistory | null
  limits: FeedLimits
  /** Boards that filters are looked up in, those of REST. */
  screener: Screener
  turns: Turns
}

type EventOf<type extends MarketEvent['type']> = Extract<MarketEvent, { type: type }>

/** What is sent of an event, by its type. */
type EventHandlers<args extends readonly unknown[] = []> = {
  readonly [type in MarketEvent['type']]?: (
    scope: EntryScope,
    event: EventOf<type>,
    ...args: args
  ) => void
}

/** A topic on one chain: who listens, and what is sent to them. The hooks are called in the order they have here. */
export type ChainTopic = {
  /** Of the addresses that it has listeners for; none: it is about the whole chain. */
  readonly indexes: readonly AddressIndex<unknown>[]
  isEmpty(): boolean
  /** Makes a subscription live. `fromSeq`: all canonical blocks behind it were sent already. */
  join(target: ItemTarget, subscriber: Subscriber, fromSeq: number): void
  leave(target: ItemTarget, subscriber: Subscriber): void
  /** How a subscription with `since` or `snapshot` begins. Absent: whoever joins is sent what is now. */
  replay?(parts: ReplayParts): TopicReplay
  /** Whose subscribers can ask for revisions. */
  channels?(): Iterable<Channel>
  /** Ids may mean others after a revert; `isReplaced`: the whole market is another one. */
  forget?(isReplaced: boolean): void

  /** A reverted block, to those who asked for revisions: its events, newest first, and then `retracted`. */
  readonly retract?: EventHandlers<[orphan: OrphanBlock]>
  retracted?(scope: EntryScope, orphan: OrphanBlock): void
  /** What a block brought, or what a revert corrected: each event in order, and then `end`. */
  readonly publish?: EventHandlers
  /** `orphan`: the block that was reverted; null: none was, or it is not known. */
  end?(scope: EntryScope, orphan: OrphanBlock | null): void
  /** All topics have sent what the block brought. */
  settled?(scope: EntryScope): void
  /** The market was loaded again at an older block. */
  rewound?(scope: EntryScope): void
  /** Called once a second: what no block brings. */
  tick?(): void
}
