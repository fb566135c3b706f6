import type { Logger } from '../../../lib/logger.ts'
import type { Feed, FeedItem, FeedRequest } from '../../feed/feed.ts'
import { paramOfKey } from '../../feed/params/parseParams.ts'
import type { RpcId } from '../../feed/push.ts'
import type { Scheduler } from '../../ground/scheduler.ts'
import { itemsPerStep, type Steps } from '../../ground/steps.ts'
import type { Outbox } from '../sending/outbox.ts'
import type { WsStats } from '../wsStats.ts'
import { ItemTable, type SubscribedItem } from './itemTable.ts'
import { Subscription, type SubscriptionGroup } from './subscription.ts'
import type { SubscriptionBudget } from './subscriptionLimits.ts'

/** Services that the subscriptions of all sockets share. */
export type SubscriptionContext = {
  feed: Feed
  stats: WsStats
  budget: SubscriptionBudget
  drop(items: SubscribedItems, keyId: number): void
}

/** Subscribed items of a socket, by item key. */
export type SubscribedItems = {
  readonly byKey: ItemTable
  /** Original params of items that the client did not write in canonical form, by item key. */
  readonly originalParams: Map<string, unknown>
}

function noItems(): SubscribedItems {
  return { byKey: new ItemTable(), originalParams: new Map() }
}

/** Removes an ended subscription from the feed and the budget. */
export function endSubscription(
  key: string,
  { subscription, isUnknown }: SubscribedItem,
  keyId: number,
  { feed, budget }: Pick<SubscriptionContext, 'feed' | 'budget'>,
): void {
  budget.release(keyId, { key, isUnknown })
  if (!subscription.pendingKeys.delete(key)) feed.remove({ key }, subscription)
}

/** All subscriptions of one socket. */
export class SubscriptionSet {
  readonly #outbox: Outbox
  readonly #context: SubscriptionContext
  /** Id of the socket's API key. Set before the first item is added. */
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
   * Records the items of a request; `start` makes them live. Items that are already subscribed, and
   * so not in `added`, are replaced. The first step takes the budget of all new items, so that no
   * other request takes it before the last step.
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
        if (made.length === 0 || !made[0]!.isShared)
          made.push(this.#createSubscription(request, id))
        this.#recordItem(item, made.at(-1)!)
      }
    } finally {
      // Gives back the budget of the remaining items if the request is abandoned.
      for (const item of added.slice(addedCount)) budget.release(this.keyId, item)
    }
    return made
  }

  /**
   * Makes items live, right after their acknowledgement is queued. Items that were dropped or
   * subscribed again meanwhile are skipped.
   * The first `itemsPerStep` items start at once, even if the scheduler slot is over: a block
   * applied before an item is live would never be pushed to a client that has its acknowledgement.
   * Further items start in later slots, except prices: the prices of one request are pushed
   * together.
   */
  async start(
    subscriptions: readonly Subscription[],
    scheduler: Scheduler,
    place: number,
  ): Promise<void> {
    let started = 0
    for (const subscription of subscriptions)
      for (const key of subscription.pendingKeys) {
        started += 1
        if (started > itemsPerStep && scheduler.isSlotOver() && !isPrice(key)) {
          await scheduler.nextSlot(place)
          if (!subscription.pendingKeys.has(key)) continue
        }
        if (subscription.group.isDropped) return
        subscription.pendingKeys.delete(key)
        this.#context.feed.add({ key }, subscription)
      }
  }

  /** Removes an item. Returns false if it was not subscribed. */
  remove(key: string): boolean {
    const { byKey, originalParams } = this.#items
    const item = byKey.delete(key)
    if (item === undefined) return false
    originalParams.delete(key)
    this.#context.stats.subscriptions -= 1
    endSubscription(key, item, this.keyId, this.#context)
    return true
  }

  /** Returns the first `countMax` items as the client wrote them. */
  listParams(countMax: number): unknown[] {
    const params: unknown[] = []
    const { byKey, originalParams } = this.#items
    for (const key of byKey.keys()) {
      if (params.length >= countMax) break
      params.push(originalParams.has(key) ? originalParams.get(key) : paramOfKey(key))
    }
    return params
  }

  /** Drops all items at once. The feed removes them gradually. */
  clear(): void {
    const dropped = this.#items
    this.#group.isDropped = true
    this.#items = noItems()
    this.#group = { isDropped: false }
    this.#context.stats.subscriptions -= dropped.byKey.size
    this.#context.drop(dropped, this.keyId)
  }

  #createSubscription(request: FeedRequest, id: RpcId): Subscription {
    this.#serial += 1
    const parts = { outbox: this.#outbox, group: this.#group, serial: this.#serial }
    return new Subscription(id, request, parts)
  }

  #recordItem(
    { key, param, isUnknown = false, isCanonical }: FeedItem,
    subscription: Subscription,
  ): void {
    const { byKey, originalParams } = this.#items
    byKey.add(key, { subscription, isUnknown })
    subscription.pendingKeys.add(key)
    if (isCanonical !== true) originalParams.set(key, param)
    this.#context.stats.subscriptions += 1
  }
}

function isPrice(key: string): boolean {
  return key.startsWith('price:')
}

type DroppedSubscriptions = {
  /** Queues dropped subscriptions, which already get no pushes, for removal. */
  add(items: SubscribedItems, keyId: number): void
  /** Stops removing subscriptions, because the process ends. */
  stop(): void
}

type DroppedItems = { rest: Iterator<[string, SubscribedItem]>; keyId: number }

// Removals between two reads of the clock, because a read takes a noticeable part of the time of
// one removal.
const dropsPerClockRead = 32

/**
 * Removes dropped subscriptions from feed and budget in scheduler slots. Removing a million at once
 * would block the event loop for seconds. `drop` removes one of them.
 */
export function createDroppedSubscriptions(
  scheduler: Scheduler,
  logger: Logger,
  drop: (key: string, item: SubscribedItem, keyId: number) => void,
): DroppedSubscriptions {
  const queue: DroppedItems[] = []
  let isRunning = false
  let isStopped = false

  /**
   * Removes queued subscriptions until the scheduler slot is over. Returns true once the queue is
   * empty.
   */
  function dropSome(): boolean {
    for (let first = queue[0]; first !== undefined; first = queue[0]) {
      for (let count = 0; count < dropsPerClockRead; count += 1) {
        const { done, value } = first.rest.next()
        if (done === true) {
          queue.shift()
          break
        }
        drop(...value, first.keyId)
      }
      if (scheduler.isSlotOver()) return queue.length === 0
    }
    return true
  }

  async function run(): Promise<void> {
    // No client waits for removals: a new place each time puts them behind all other long work.
    while (!isStopped && !dropSome()) await scheduler.nextSlot(scheduler.newPosition())
    isRunning = false
  }

  return {
    add({ byKey }, keyId) {
      if (byKey.size === 0 || isStopped) return
      queue.push({ rest: byKey.entries(), keyId })
      if (isRunning) return
      isRunning = true
      const begin = () =>
        run().catch((error) => {
          isRunning = false
          logger.error({ msg: 'Failed to remove dropped subscriptions', err: error })
        })
      try {
        scheduler.run(() => void begin())
      } catch {
        // The scheduler's queue is full. Removals wait with long work instead of failing.
        void scheduler.nextSlot(scheduler.newPosition()).then(begin)
      }
    },
    stop() {
      isStopped = true
      queue.length = 0
    },
  }
}
