import type { Feed, FeedItem, FeedRequest } from '../../feed/feed.ts'
import type { RpcId } from '../../feed/push.ts'
import { itemsPerStep, type Steps } from '../../turns/steps.ts'
import type { Turns } from '../../turns/turns.ts'
import type { Outbox } from '../sending/outbox.ts'
import type { WsStats } from '../wsStats.ts'
import { Subscription, type SubscriptionGroup } from './subscription.ts'
import type { SubscriptionBudget } from './subscriptionBudget.ts'

/** What the subscriptions of all sockets share. */
export type SubscriptionContext = {
  feed: Feed
  stats: WsStats
  budget: SubscriptionBudget
  drop(subscriptions: ReadonlyMap<string, Subscription>, keyId: number): void
}

/** The feed and the budget forget one that is over. */
export function letGo(
  subscription: Subscription,
  keyId: number,
  { feed, budget }: Pick<SubscriptionContext, 'feed' | 'budget'>,
): void {
  budget.give(keyId, subscription.item)
  if (subscription.isStarted) feed.remove(subscription.item, subscription)
}

/** Everything one socket is subscribed to, by item key. */
export class SubscriptionSet {
  readonly #outbox: Outbox
  readonly #context: SubscriptionContext
  /** Whose they are; set before the first is added. */
  keyId = 0
  #byKey = new Map<string, Subscription>()
  #group: SubscriptionGroup = { isDropped: false }

  constructor(outbox: Outbox, context: SubscriptionContext) {
    this.#outbox = outbox
    this.#context = context
  }

  get size(): number {
    return this.#byKey.size
  }

  has(key: string): boolean {
    return this.#byKey.has(key)
  }

  /**
   * Notes the items of a request; `start` makes them live. An item that is there already is made again. What the new ones take
   * is taken in the first step, so that nobody else is given it before the last.
   */
  *add(request: FeedRequest, id: RpcId): Steps<Subscription[]> {
    const { budget, stats } = this.#context
    const isNew = request.items.map(({ key }) => !this.#byKey.has(key))
    for (const [at, item] of request.items.entries()) if (isNew[at]) budget.take(this.keyId, item)
    const parts = { outbox: this.#outbox, group: this.#group }
    const added: Subscription[] = []
    try {
      for (const [at, item] of request.items.entries()) {
        if (at % itemsPerStep === itemsPerStep - 1) yield
        if (this.remove(item.key)) budget.take(this.keyId, item)
        const subscription = new Subscription(item, id, request, parts)
        this.#byKey.set(item.key, subscription)
        stats.subscriptions += 1
        added.push(subscription)
      }
    } finally {
      // The rest, if it is not wanted any more.
      for (const [at, item] of request.items.entries())
        if (at >= added.length && isNew[at]) budget.give(this.keyId, item)
    }
    return added
  }

  /**
   * Called once the acknowledgement is on its way. What was dropped or subscribed again since is passed over. A great many are started
   * in turns, and the promise is for whoever has to wait; but prices of one request are pushed together, so they start so.
   */
  async start(subscriptions: readonly Subscription[], turns: Turns): Promise<void> {
    const place = turns.place()
    for (const subscription of subscriptions) {
      if (turns.isOver() && !isPrice(subscription.item)) await turns.next(place)
      if (this.#byKey.get(subscription.item.key) !== subscription) continue
      subscription.isStarted = true
      this.#context.feed.add(subscription.item, subscription)
    }
  }

  /** False: there is no such subscription. */
  remove(key: string): boolean {
    const subscription = this.#byKey.get(key)
    if (subscription === undefined) return false
    this.#byKey.delete(key)
    this.#context.stats.subscriptions -= 1
    letGo(subscription, this.keyId, this.#context)
    return true
  }

  /** The first items, as many as are asked for. */
  items(countMax: number): FeedItem[] {
    const items: FeedItem[] = []
    for (const { item } of this.#byKey.values()) {
      if (items.length >= countMax) break
      items.push(item)
    }
    return items
  }

  /** Drops everything at once; the feed forgets it little by little. */
  clear(): void {
    const dropped = this.#byKey
    this.#group.isDropped = true
    this.#byKey = new Map()
    this.#group = { isDropped: false }
    this.#context.stats.subscriptions -= dropped.size
    this.#context.drop(dropped, this.keyId)
  }
}

function isPrice({ key }: FeedItem): boolean {
  return key.startsWith('price:')
}
