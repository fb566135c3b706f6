import type { Feed, FeedItem, FeedRequest } from '../../feed/feed.ts'
import { paramOfKey } from '../../feed/params/parseParams.ts'
import type { RpcId } from '../../feed/push.ts'
import { itemsPerStep, type Steps } from '../../turns/steps.ts'
import type { Turns } from '../../turns/turns.ts'
import type { Outbox } from '../sending/outbox.ts'
import type { WsStats } from '../wsStats.ts'
import { ItemTable, type SubscribedItem } from './itemTable.ts'
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
  readonly byKey: ItemTable
  /** How the caller wrote those that are not canonical. */
  readonly written: Map<string, unknown>
}

function noItems(): SubscribedItems {
  return { byKey: new ItemTable(), written: new Map() }
}

/** The feed and the budget forget one that is over. */
export function letGo(
  key: string,
  { subscription, isUnknown }: SubscribedItem,
  keyId: number,
  { feed, budget }: Pick<SubscriptionContext, 'feed' | 'budget'>,
): void {
  budget.give(keyId, { key, isUnknown })
  if (!subscription.waiting.delete(key)) feed.remove({ key }, subscription)
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
   * Notes the items of a request; `start` makes them live. An item that is there already, which is not among the `added`, is made
   * again. What the new ones take is taken in the first step, so that nobody else is given it before the last.
   */
  *add(request: FeedRequest, added: readonly FeedItem[], id: RpcId): Steps<Subscription[]> {
    const { budget } = this.#context
    for (const item of added) budget.take(this.keyId, item)
    const made: Subscription[] = []
    let addedCount = 0
    try {
      for (const [at, item] of request.items.entries()) {
        if (at % itemsPerStep === itemsPerStep - 1) yield
        if (item === added[addedCount]) addedCount += 1
        else if (this.remove(item.key)) budget.take(this.keyId, item)
        if (made.length === 0 || !made[0]!.isShared) made.push(this.#make(request, id))
        this.#put(item, made.at(-1)!)
      }
    } finally {
      // The rest, if it is not wanted any more.
      for (const item of added.slice(addedCount)) budget.give(this.keyId, item)
    }
    return made
  }

  /**
   * Makes items live, right after their acknowledgement was queued. Items dropped or subscribed again since are passed over.
   * The first `itemsPerStep` start at once, even when the turn is over: a block that is applied before they are live would
   * never be pushed to a client that has its acknowledgement. More start in turns, except prices: the prices of one request
   * are pushed together.
   */
  async start(subscriptions: readonly Subscription[], turns: Turns, place: number): Promise<void> {
    let started = 0
    for (const subscription of subscriptions)
      for (const key of subscription.waiting) {
        started += 1
        if (started > itemsPerStep && turns.isOver() && !isPrice(key)) {
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
    const { byKey, written } = this.#items
    const item = byKey.delete(key)
    if (item === undefined) return false
    written.delete(key)
    this.#context.stats.subscriptions -= 1
    letGo(key, item, this.keyId, this.#context)
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

  #put({ key, param, isUnknown = false, isCanonical }: FeedItem, subscription: Subscription): void {
    const { byKey, written } = this.#items
    byKey.add(key, { subscription, isUnknown })
    subscription.waiting.add(key)
    if (isCanonical !== true) written.set(key, param)
    this.#context.stats.subscriptions += 1
  }
}

function isPrice(key: string): boolean {
  return key.startsWith('price:')
}
