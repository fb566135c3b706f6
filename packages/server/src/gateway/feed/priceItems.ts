import type { Clock } from '../gatewayChain.ts'
import type { ChainMarket } from './chainMarket.ts'
import type { AddressTopics } from './chainTopics.ts'
import type { Subscriber } from './feed.ts'
import { PriceGroups } from './priceGroups.ts'
import { flushFirst } from './publishPrices.ts'

/** Items of the price topic: each belongs to the group of its request. */
export class PriceItems {
  private readonly clock: Clock
  private readonly groups = new PriceGroups()

  constructor(clock: Clock) {
    this.clock = clock
  }

  add(market: ChainMarket, address: string, subscriber: Subscriber): void {
    const topics = market.topics.open(address, market.chain.reads)
    topics.price ??= new Map()
    if (topics.price.has(subscriber)) return
    const group = this.groups.join(subscriber)
    topics.price.set(subscriber, group)
    group.first.push({ market, topics })
    // The other items of the request are added in this same turn: one push for all of them.
    if (group.first.length === 1) queueMicrotask(() => flushFirst(group, this.clock.nowMs()))
  }

  remove(topics: AddressTopics, subscriber: Subscriber): void {
    const group = topics.price?.get(subscriber)
    if (group === undefined) return
    topics.price?.delete(subscriber)
    this.groups.leave(subscriber, group)
  }
}
