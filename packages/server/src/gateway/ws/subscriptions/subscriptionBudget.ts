import type { FeedItem } from '../../feed/feed.ts'
import { hasFilter } from '../../feed/params/itemKey.ts'
import { fixedPaceLimits, type PaceLimits } from './subscriptionPace.ts'

/** What subscriptions of all sockets may take, whatever the plan. */
export type SubscriptionLimits = {
  /** Memory of all of them. */
  bytesMax: number
  /** Memory of those of one key. */
  keyBytesMax: number
  /** Items that no chain knows, of all keys: nobody pays for what does not exist. */
  unknownMax: number
  keyUnknownMax: number
  /** Different filters of all keys: each is looked at again and again, whatever the number of its readers. */
  filtersMax: number
  keyFiltersMax: number
  pace: PaceLimits
}

/** Of these, what is the same for every service. */
export const fixedSubscriptionLimits = {
  // A quarter of what all may take by default, so that one key leaves room for others.
  keyBytesMax: 268_435_456,
  unknownMax: 200_000,
  keyUnknownMax: 20_000,
  filtersMax: 500,
  keyFiltersMax: 20,
  pace: fixedPaceLimits,
} as const satisfies Partial<SubscriptionLimits>

type CountedItem = Pick<FeedItem, 'key' | 'isUnknown'>

type Taken = {
  bytes: number
  unknown: number
  /** Readers of each filter. */
  filters: Map<string, number>
}

const nothing = (): Taken => ({ bytes: 0, unknown: 0, filters: new Map() })

/** The limit that would be broken. */
type BrokenLimit = { limit: string; max: number; ofKey: boolean }

// An estimate, on the high side, of what sockets and the feed hold for each, beside its texts.
const subscriptionBytes = 1_100
const bytesPerChar = 4

/** About what one subscription takes. */
export function bytesOf({ key }: CountedItem): number {
  return subscriptionBytes + bytesPerChar * key.length
}

/** Counts what the subscriptions of each key take, and of all. */
export class SubscriptionBudget {
  readonly #limits: SubscriptionLimits
  readonly #all = nothing()
  readonly #byKey = new Map<number, Taken>()

  constructor(limits: SubscriptionLimits) {
    this.#limits = limits
  }

  /** What these would break, if anything. */
  brokenBy(keyId: number, items: readonly CountedItem[]): BrokenLimit | null {
    const { bytesMax, keyBytesMax, unknownMax, keyUnknownMax } = this.#limits
    const ofKey = this.#byKey.get(keyId) ?? nothing()
    let bytes = 0
    let unknown = 0
    for (const item of items) {
      bytes += bytesOf(item)
      if (item.isUnknown === true) unknown += 1
    }
    if (ofKey.bytes + bytes > keyBytesMax)
      return { limit: 'key_subscription_bytes_max', max: keyBytesMax, ofKey: true }
    if (this.#all.bytes + bytes > bytesMax)
      return { limit: 'subscription_bytes_max', max: bytesMax, ofKey: false }
    const filters = items.filter(({ key }) => hasFilter(key))
    if (filters.length > 0) return this.#filtersBrokenBy(ofKey, filters)
    if (unknown === 0) return null
    if (ofKey.unknown + unknown > keyUnknownMax)
      return { limit: 'key_unknown_items_max', max: keyUnknownMax, ofKey: true }
    if (this.#all.unknown + unknown > unknownMax)
      return { limit: 'unknown_items_max', max: unknownMax, ofKey: false }
    return null
  }

  /** A filter that somebody has already is the same for all. */
  #filtersBrokenBy(ofKey: Taken, items: readonly CountedItem[]): BrokenLimit | null {
    const { filtersMax, keyFiltersMax } = this.#limits
    const added = ({ filters }: Taken) => items.filter(({ key }) => !filters.has(key)).length
    if (ofKey.filters.size + added(ofKey) > keyFiltersMax)
      return { limit: 'key_filters_max', max: keyFiltersMax, ofKey: true }
    if (this.#all.filters.size + added(this.#all) > filtersMax)
      return { limit: 'filters_max', max: filtersMax, ofKey: false }
    return null
  }

  take(keyId: number, item: CountedItem): void {
    const ofKey = this.#byKey.get(keyId)
    const taken = ofKey ?? nothing()
    if (ofKey === undefined) this.#byKey.set(keyId, taken)
    this.#add(taken, item, 1)
  }

  give(keyId: number, item: CountedItem): void {
    const ofKey = this.#byKey.get(keyId)
    if (ofKey === undefined) return
    this.#add(ofKey, item, -1)
    if (ofKey.bytes === 0) this.#byKey.delete(keyId)
  }

  #add(ofKey: Taken, item: CountedItem, sign: 1 | -1): void {
    const bytes = sign * bytesOf(item)
    const unknown = item.isUnknown === true ? sign : 0
    for (const taken of [ofKey, this.#all]) {
      taken.bytes += bytes
      taken.unknown += unknown
      if (hasFilter(item.key)) count(taken.filters, item.key, sign)
    }
  }
}

function count(readers: Map<string, number>, key: string, sign: 1 | -1): void {
  const left = (readers.get(key) ?? 0) + sign
  if (left > 0) readers.set(key, left)
  else readers.delete(key)
}
