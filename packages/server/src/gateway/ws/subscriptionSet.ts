import type { Feed, FeedItem, FeedRequest } from '../feed/feed.ts'
import type { Outbox } from './outbox.ts'
import { Subscription } from './subscription.ts'
import type { WsStats } from './wsStats.ts'

/** Everything one socket is subscribed to, by item key. */
export class SubscriptionSet {
  readonly #feed: Feed
  readonly #outbox: Outbox
  readonly #stats: WsStats
  readonly #byKey = new Map<string, Subscription>()

  constructor(feed: Feed, outbox: Outbox, stats: WsStats) {
    this.#feed = feed
    this.#outbox = outbox
    this.#stats = stats
  }

  get size(): number {
    return this.#byKey.size
  }

  has(key: string): boolean {
    return this.#byKey.has(key)
  }

  /** Notes the items of a request; `start` makes them live. An item that is there already is made anew. */
  add(request: FeedRequest, id: number): Subscription[] {
    const added = new Map<string, Subscription>()
    for (const item of request.items) {
      if (added.has(item.key)) continue
      this.remove(item.key)
      const subscription = new Subscription(item, id, request, this.#outbox)
      this.#byKey.set(item.key, subscription)
      this.#stats.subscriptions += 1
      added.set(item.key, subscription)
    }
    return [...added.values()]
  }

  /** Called once the acknowledgement is on its way. What was dropped or made anew since is passed over. */
  start(subscriptions: readonly Subscription[]): void {
    for (const subscription of subscriptions) {
      if (this.#byKey.get(subscription.item.key) !== subscription) continue
      subscription.isStarted = true
      this.#feed.add(subscription.item, subscription)
    }
  }

  /** False: there is no such subscription. */
  remove(key: string): boolean {
    const subscription = this.#byKey.get(key)
    if (subscription === undefined) return false
    this.#byKey.delete(key)
    this.#stats.subscriptions -= 1
    if (subscription.isStarted) this.#feed.remove(subscription.item, subscription)
    return true
  }

  /** Drops everything and says what it was. */
  clear(): FeedItem[] {
    const items = [...this.#byKey.values()].map(({ item }) => item)
    for (const { key } of items) this.remove(key)
    return items
  }
}
