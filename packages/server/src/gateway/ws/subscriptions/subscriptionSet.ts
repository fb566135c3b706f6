import type { Feed, FeedItem, FeedRequest } from '../../feed/feed.ts'
import { paramOfKey } from '../../feed/params/parseParams.ts'
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
  drop(items: SubscribedItems, keyId: number): void
}

/** What a socket follows, by item key. */
export type SubscribedItems = {
  readonly byKey: Map<string, Subscription>
  /** Of these, those that no chain knew. */
  readonly unknown: Set<string>
  /** How the caller wrote those that are not canonical. */
  readonly written: Map<string, unknown>
}

function noItems(): SubscribedItems {
  return { byKey: new Map(), unknown: new Set(), written: new Map() }
}

/** The feed and the budget forget one that is over. */
export function letGo(
  item: Pick<FeedItem, 'key' | 'isUnknown'>,
  subscription: Subscription,
  keyId: number,
  { feed, budget }: Pick<SubscriptionContext, 'feed' | 'budget'>,
): void {
  budget.give(keyId, item)
  if (!subscription.waiting.delete(item.key)) feed.remove(item, subscription)
}

/** Everything one socket is subscribed to. */
export class SubscriptionSet {
  readonly #outbox: Outbox
  readonly #context: SubscriptionContext
  /** Whose they are; set before the first is added. */
  keyId = 0
  #items = noItems()
  #group: SubscriptionGroup = { isDropped: false }
  #serial = 0

  constructor(outbox: Outbox, context: SubscriptionContext) {
    this.#outbox = outbox
    this.#context = context
  }

  get size(): number {
    return this.#items.byKey.size
  }

  has(key: string): boolean {
    return this.#items.byKey.has(key)
  }

  /**
   * Notes the items of a request; `start` makes them live. An item that is there already is made again. What the new ones take
   * is taken in the first step, so that nobody else is given it before the last.
   */
  *add(request: FeedRequest, id: RpcId): Steps<Subscription[]> {
    const { budget } = this.#context
    const { items } = request
    const isNew = items.map(({ key }) => !this.has(key))
    for (const [at, item] of items.entries()) if (isNew[at]) budget.take(this.keyId, item)
    const made: Subscription[] = []
    let addedCount = 0
    try {
      for (const item of items) {
        if (addedCount % itemsPerStep === itemsPerStep - 1) yield
        if (this.remove(item.key)) budget.take(this.keyId, item)
        if (made.length === 0 || !made[0]!.isShared) made.push(this.#make(request, id))
        this.#put(item, made.at(-1)!)
        addedCount += 1
      }
    } finally {
      // The rest, if it is not wanted any more.
      for (const [at, item] of items.entries())
        if (at >= addedCount && isNew[at]) budget.give(this.keyId, item)
    }
    return made
  }

  /**
   * Called once the acknowledgement is on its way. What was dropped or subscribed again since is passed over. A great many are started
   * in turns, and the promise is for whoever has to wait; but prices of one request are pushed together, so they start so.
   */
  async start(subscriptions: readonly Subscription[], turns: Turns): Promise<void> {
    const place = turns.place()
    for (const subscription of subscriptions)
      for (const key of subscription.waiting) {
        if (turns.isOver() && !isPrice(key)) {
          await turns.next(place)
          if (!subscription.waiting.has(key)) continue
        }
        if (subscription.group.isDropped) return
        subscription.waiting.delete(key)
        this.#context.feed.add({ key }, subscription)
      }
  }

  /** False: there is no such subscription. */
  remove(key: string): boolean {
    const { byKey, unknown, written } = this.#items
    const subscription = byKey.get(key)
    if (subscription === undefined) return false
    byKey.delete(key)
    written.delete(key)
    this.#context.stats.subscriptions -= 1
    letGo({ key, isUnknown: unknown.delete(key) }, subscription, this.keyId, this.#context)
    return true
  }

  /** The first items as the caller wrote them, as many as are asked for. */
  params(countMax: number): unknown[] {
    const params: unknown[] = []
    const { byKey, written } = this.#items
    for (const key of byKey.keys()) {
      if (params.length >= countMax) break
      params.push(written.has(key) ? written.get(key) : paramOfKey(key))
    }
    return params
  }

  /** Drops everything at once; the feed forgets it little by little. */
  clear(): void {
    const dropped = this.#items
    this.#group.isDropped = true
    this.#items = noItems()
    this.#group = { isDropped: false }
    this.#context.stats.subscriptions -= dropped.byKey.size
    this.#context.drop(dropped, this.keyId)
  }

  #make(request: FeedRequest, id: RpcId): Subscription {
    this.#serial += 1
    const parts = { outbox: this.#outbox, group: this.#group, serial: this.#serial }
    return new Subscription(id, request, parts)
  }

  #put({ key, param, isUnknown, isCanonical }: FeedItem, subscription: Subscription): void {
    const { byKey, unknown, written } = this.#items
    byKey.set(key, subscription)
    subscription.waiting.add(key)
    if (isUnknown === true) unknown.add(key)
    if (isCanonical !== true) written.set(key, param)
    this.#context.stats.subscriptions += 1
  }
}

function isPrice(key: string): boolean {
  return key.startsWith('price:')
}
