import type { Clock } from '../chain/gatewayChain.ts'
import type { ChainMarket } from './chainMarket.ts'
import { PushChannel } from './channel.ts'
import type { Subscriber } from './feed.ts'
import type { ItemTarget } from './params/itemKey.ts'
import type { ReplayParts, ReplaySource } from './replay/replaySource.ts'
import { EventReplay } from './replay/topicReplay.ts'
import type { ChainTopic } from './topic.ts'

/**
 * A topic whose subscribers share channels by a text key of their targets, such as a filter or a
 * wallet. The key need not be a token or pair address.
 */
export abstract class KeyedTopic<channel extends PushChannel = PushChannel> implements ChainTopic {
  readonly indexes = []
  protected readonly byKey = new Map<string, channel>()
  protected readonly market: ChainMarket
  protected readonly clock: Clock

  constructor(market: ChainMarket, clock: Clock) {
    this.market = market
    this.clock = clock
  }

  isEmpty(): boolean {
    return this.byKey.size === 0
  }

  join(target: ItemTarget, subscriber: Subscriber, fromSeq: number): void {
    const key = this.keyOf(target)
    let channel = this.byKey.get(key)
    if (channel === undefined) {
      channel = this.open(key)
      this.byKey.set(key, channel)
    }
    channel.add(subscriber, fromSeq, this.market.recent.seq)
  }

  leave(target: ItemTarget, subscriber: Subscriber): void {
    const key = this.keyOf(target)
    const channel = this.byKey.get(key)
    channel?.delete(subscriber)
    if (channel?.size === 0) this.byKey.delete(key)
  }

  protected abstract keyOf(target: ItemTarget): string
  protected abstract open(key: string): channel
}

/**
 * A keyed topic that pushes events, which can be retracted, repeated after a reorg and replayed.
 */
export abstract class EventTopic<
  channel extends PushChannel = PushChannel,
> extends KeyedTopic<channel> {
  channels(): Iterable<channel> {
    return this.byKey.values()
  }

  replay(parts: ReplayParts): EventReplay {
    return new EventReplay(parts, this.sourceOf(parts.target))
  }

  protected abstract sourceOf(target: ItemTarget): ReplaySource
}

/** An event topic with a single channel for all subscribers of a chain. */
export abstract class WholeChainTopic extends EventTopic {
  /** The channel of all subscribers; undefined while nobody is subscribed. */
  protected get channel(): PushChannel | undefined {
    return this.byKey.get('')
  }

  protected keyOf(): string {
    return ''
  }

  protected open(): PushChannel {
    return new PushChannel()
  }
}
