import type { FeedItem, FeedRequest } from '../../feed/feed.ts'
import { itemHasFilter } from '../../feed/params/itemKey.ts'
import { limitExceededError, type RpcErrorBody } from '../../http/jsonRpc.ts'
import type { Plan } from '../../keys/plan.ts'

/** Rate limit on subscribing, over all sockets of a key. */
type SubscribeRateLimits = {
  /** Items that a key may subscribe to at once, after a pause. */
  keyItemsBurst: number
  keyItemsPerS: number
  /** Longest pause in reading a socket, however many items it subscribed to at once. */
  pauseMsMax: number
}

export const fixedSubscribeRateLimits: SubscribeRateLimits = {
  // More items than almost any client follows, so that a reconnecting client does not wait.
  keyItemsBurst: 20_000,
  // A tenth of the subscriptions per second that one event loop can handle, so that other clients
  // hardly notice.
  keyItemsPerS: 20_000,
  pauseMsMax: 10_000,
}

// Number of tracked keys at which idle keys are first removed.
const sweepSizeMin = 1_000

/**
 * Slows down keys that subscribe to very many items: after the answer, their socket is not read for
 * a while. Each subscribed item leaves garbage that outlives its request, and collecting garbage
 * blocks the event loop for everyone.
 */
export class SubscribeRateLimiter {
  readonly #limits: SubscribeRateLimits
  /** By key id: the time at which the key's recent subscriptions stop counting. */
  readonly #untilMs = new Map<number, number>()
  #sweepAt = sweepSizeMin

  constructor(limits: SubscribeRateLimits) {
    this.#limits = limits
  }

  /** Number of tracked keys. */
  get size(): number {
    return this.#untilMs.size
  }

  /**
   * Records items that a key subscribed to. Returns for how many milliseconds the socket must not
   * be read.
   */
  recordItems(keyId: number, count: number, nowMs: number): number {
    const { keyItemsBurst, keyItemsPerS, pauseMsMax } = this.#limits
    const perItemMs = 1_000 / keyItemsPerS
    const freeMs = nowMs + keyItemsBurst * perItemMs
    const untilMs = Math.max(this.#untilMs.get(keyId) ?? 0, nowMs) + count * perItemMs
    // Capped, so that a clock that was set back causes no longer pause.
    this.#untilMs.set(keyId, Math.min(untilMs, freeMs + pauseMsMax))
    if (this.#untilMs.size > this.#sweepAt) this.#sweep(nowMs)
    return Math.min(Math.max(0, untilMs - freeMs), pauseMsMax)
  }

  #sweep(nowMs: number): void {
    for (const [keyId, untilMs] of this.#untilMs) if (untilMs <= nowMs) this.#untilMs.delete(keyId)
    this.#sweepAt = Math.max(sweepSizeMin, this.#untilMs.size * 2)
  }
}

/** Limits on the subscriptions of all sockets, whatever the plan of a key. */
export type SubscriptionLimits = {
  /** Estimated memory of all subscriptions. */
  bytesMax: number
  /** Estimated memory of the subscriptions of one key. */
  keyBytesMax: number
  /**
   * Subscribed items that no chain knows, over all keys. Made-up items are free for clients, so
   * they need a limit.
   */
  unknownItemsMax: number
  keyUnknownItemsMax: number
  /**
   * Distinct filters over all keys. A filter is evaluated again and again, however many subscribers
   * share it.
   */
  filtersMax: number
  keyFiltersMax: number
  subscribeRate: SubscribeRateLimits
}

/** Subscription limits that no config key changes. */
export const fixedSubscriptionLimits = {
  // A quarter of the default for all keys, so that one key leaves room for others.
  keyBytesMax: 268_435_456,
  unknownItemsMax: 200_000,
  keyUnknownItemsMax: 20_000,
  filtersMax: 500,
  keyFiltersMax: 20,
  subscribeRate: fixedSubscribeRateLimits,
} as const satisfies Partial<SubscriptionLimits>

type CountedItem = Pick<FeedItem, 'key' | 'isUnknown'>

type BudgetUse = {
  bytes: number
  unknown: number
  /** Number of subscriptions to each filter. */
  filters: Map<string, number>
}

const noBudgetUse = (): BudgetUse => ({ bytes: 0, unknown: 0, filters: new Map() })

/**
 * A limit that a request would exceed. `ofKey` is true for a limit of one key, false for a limit of
 * all keys.
 */
type ExceededLimit = { limit: string; max: number; ofKey: boolean }

// Estimate, on the high side, of what sockets and feed hold in memory per subscription, besides
// strings.
const subscriptionBytes = 1_100
const bytesPerChar = 4

/** Returns the estimated memory of one subscription. */
export function estimatedBytes({ key }: CountedItem): number {
  return subscriptionBytes + bytesPerChar * key.length
}

/**
 * Enforces `SubscriptionLimits`: counts what the subscriptions of each key and of all keys take.
 */
export class SubscriptionBudget {
  readonly #limits: SubscriptionLimits
  readonly #all = noBudgetUse()
  readonly #byKey = new Map<number, BudgetUse>()

  constructor(limits: SubscriptionLimits) {
    this.#limits = limits
  }

  /** Returns the first limit that adding these items would exceed, or null. */
  limitExceededBy(keyId: number, items: readonly CountedItem[]): ExceededLimit | null {
    const { bytesMax, keyBytesMax, unknownItemsMax, keyUnknownItemsMax } = this.#limits
    const ofKey = this.#byKey.get(keyId) ?? noBudgetUse()
    let bytes = 0
    let unknown = 0
    for (const item of items) {
      bytes += estimatedBytes(item)
      if (item.isUnknown === true) unknown += 1
    }
    if (ofKey.bytes + bytes > keyBytesMax)
      return { limit: 'key_subscription_bytes_max', max: keyBytesMax, ofKey: true }
    if (this.#all.bytes + bytes > bytesMax)
      return { limit: 'subscription_bytes_max', max: bytesMax, ofKey: false }
    const filters = items.filter(({ key }) => itemHasFilter(key))
    if (filters.length > 0) return this.#filterLimitExceededBy(ofKey, filters)
    if (unknown === 0) return null
    if (ofKey.unknown + unknown > keyUnknownItemsMax)
      return { limit: 'key_unknown_items_max', max: keyUnknownItemsMax, ofKey: true }
    if (this.#all.unknown + unknown > unknownItemsMax)
      return { limit: 'unknown_items_max', max: unknownItemsMax, ofKey: false }
    return null
  }

  /**
   * Returns the filter limit that adding these items would exceed, or null. A filter that is
   * already in use does not count again.
   */
  #filterLimitExceededBy(ofKey: BudgetUse, items: readonly CountedItem[]): ExceededLimit | null {
    const { filtersMax, keyFiltersMax } = this.#limits
    const added = ({ filters }: BudgetUse) => items.filter(({ key }) => !filters.has(key)).length
    if (ofKey.filters.size + added(ofKey) > keyFiltersMax)
      return { limit: 'key_filters_max', max: keyFiltersMax, ofKey: true }
    if (this.#all.filters.size + added(this.#all) > filtersMax)
      return { limit: 'filters_max', max: filtersMax, ofKey: false }
    return null
  }

  take(keyId: number, item: CountedItem): void {
    const ofKey = this.#byKey.get(keyId)
    const taken = ofKey ?? noBudgetUse()
    if (ofKey === undefined) this.#byKey.set(keyId, taken)
    this.#add(taken, item, 1)
  }

  release(keyId: number, item: CountedItem): void {
    const ofKey = this.#byKey.get(keyId)
    if (ofKey === undefined) return
    this.#add(ofKey, item, -1)
    if (ofKey.bytes === 0) this.#byKey.delete(keyId)
  }

  #add(ofKey: BudgetUse, item: CountedItem, sign: 1 | -1): void {
    const bytes = sign * estimatedBytes(item)
    const unknown = item.isUnknown === true ? sign : 0
    for (const taken of [ofKey, this.#all]) {
      taken.bytes += bytes
      taken.unknown += unknown
      if (itemHasFilter(item.key)) count(taken.filters, item.key, sign)
    }
  }
}

function count(readers: Map<string, number>, key: string, sign: 1 | -1): void {
  const left = (readers.get(key) ?? 0) + sign
  if (left > 0) readers.set(key, left)
  else readers.delete(key)
}

type LimitContext = {
  plan: Pick<Plan, 'priceIdsMax' | 'subscriptionsMax'>
  /** Subscriptions of the socket that sent the request. */
  subscriptions: { readonly size: number; readonly keyId: number }
  budget: SubscriptionBudget
}

/**
 * Returns the error for the first limit that a subscribe request would exceed, or null. A request
 * over a limit is refused as a whole.
 */
export function limitError(
  { topic, items, rejected }: FeedRequest,
  added: readonly FeedItem[],
  { plan, subscriptions, budget }: LimitContext,
): RpcErrorBody | null {
  const { priceIdsMax, subscriptionsMax } = plan
  const idCount = items.length + rejected.length
  if (topic === 'price' && priceIdsMax !== null && idCount > priceIdsMax)
    return limitExceededError(
      'price_ids_max',
      priceIdsMax,
      `One price subscribe may name ${priceIdsMax} ids on your plan, this call has ${idCount}.`,
    )
  if (subscriptionsMax !== null && subscriptions.size + added.length > subscriptionsMax)
    return limitExceededError(
      'subscriptions_max',
      subscriptionsMax,
      `One connection may hold ${subscriptionsMax} subscriptions on your plan; unsubscribe from some, or open another connection.`,
    )
  const broken = budget.limitExceededBy(subscriptions.keyId, added)
  if (broken === null) return null
  const { limit, max, ofKey } = broken
  const sentence = ofKey
    ? `The subscriptions of your key would exceed ${limit} (${max}); unsubscribe from some first.`
    : `All subscriptions of this service would exceed ${limit} (${max}); try again later.`
  return limitExceededError(limit, max, sentence)
}
