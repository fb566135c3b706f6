import type { Clock } from '../gatewayChain.ts'
import type { ChainMarket } from './chainMarket.ts'
import type { AddressTopics } from './chainTopics.ts'
import type { Subscriber } from './feed.ts'
import { type PriceGroup, PriceGroups } from './priceGroups.ts'
import { type FirstPrice, sendFirst } from './publishPrices.ts'

/** Items of the price topic: each belongs to the group of its request. */
export class PriceItems {
  private readonly clock: Clock
  private readonly groups = new PriceGroups()
  /** Items that wait for their first push, which is due. */
  private readonly first = new Map<PriceGroup, FirstPrice[]>()

  constructor(clock: Clock) {
    this.clock = clock
  }

  add(market: ChainMarket, address: string, subscriber: Subscriber): void {
    const topics = market.topics.open(address, market.chain.reads)
    topics.price ??= new Map()
    if (topics.price.has(subscriber)) return
    const group = this.groups.join(subscriber)
    topics.price.set(subscriber, group)
    const first = this.first.get(group)
    if (first !== undefined) {
      first.push({ market, topics })
      return
    }
    this.first.set(group, [{ market, topics }])
    group.sendFirst = (nowMs) => this.flush(group, nowMs)
    // The other items of the request are added in this same turn: one push for all of them.
    queueMicrotask(() => group.sendFirst?.(this.clock.nowMs()))
  }

  remove(topics: AddressTopics, subscriber: Subscriber): void {
    const group = topics.price?.get(subscriber)
    if (group === undefined) return
    topics.price?.delete(subscriber)
    this.groups.leave(subscriber, group)
  }

  private flush(group: PriceGroup, nowMs: number): void {
    const first = this.first.get(group)!
    this.first.delete(group)
    group.sendFirst = null
    const sender = group.sender()
    if (sender !== undefined) sendFirst(first, sender, nowMs)
  }
}
