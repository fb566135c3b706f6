import type { MarketReads } from '../../engine/marketReads.ts'
import { type Kline, type KlineIntervalName, klineIntervalNames } from '../../model/kline.ts'
import { Channel } from './channel.ts'
import type { Subscriber } from './feed.ts'
import type { PriceGroup } from './priceGroups.ts'

/** One interval of one pair; `kline` and `multi_kline` subscriptions alike. */
export class KlineTopic {
  readonly channel = new Channel()
  /** As it was last pushed. */
  last: Kline | null = null
  /** How often a reorg changed a kline, by its start. Only those that were. */
  readonly revisions = new Map<number, number>()

  forget(): void {
    this.last = null
    this.revisions.clear()
  }
}

/** All that can be subscribed about one address, be it a pair or a token. */
export class AddressTopics {
  readonly address: string
  /** -1: no such pair, or not yet. */
  pairId = -1
  tokenId = -1
  tx: Channel | null = null
  multiTx: Channel | null = null
  liq: Channel | null = null
  /** By interval. */
  klines: (KlineTopic | null)[] | null = null
  price: Map<Subscriber, PriceGroup> | null = null

  constructor(address: string) {
    this.address = address
  }

  kline(interval: KlineIntervalName): KlineTopic {
    this.klines ??= klineIntervalNames.map(() => null)
    const at = klineIntervalNames.indexOf(interval)
    this.klines[at] ??= new KlineTopic()
    return this.klines[at]
  }

  /** Lets go of what nobody listens to; true when that is everything. */
  prune(): boolean {
    if (this.tx?.size === 0) this.tx = null
    if (this.multiTx?.size === 0) this.multiTx = null
    if (this.liq?.size === 0) this.liq = null
    if (this.price?.size === 0) this.price = null
    if (this.klines !== null) {
      this.klines.forEach((topic, at) => {
        if (topic?.channel.size === 0) this.klines![at] = null
      })
      if (this.klines.every((topic) => topic === null)) this.klines = null
    }
    const { tx, multiTx, liq, price, klines } = this
    return tx === null && multiTx === null && liq === null && price === null && klines === null
  }
}

/** What is subscribed on one chain, found by address and, for the events, by id. */
export class ChainTopics {
  readonly trending = new Channel()
  readonly newPairs = new Channel()
  private readonly byAddress = new Map<string, AddressTopics>()
  private readonly byPair = new Map<number, AddressTopics>()
  private readonly byToken = new Map<number, AddressTopics>()
  private pairCount = 0
  private tokenCount = 0

  get isEmpty(): boolean {
    return this.byAddress.size === 0 && this.trending.size === 0 && this.newPairs.size === 0
  }

  get hasTokens(): boolean {
    return this.byToken.size > 0
  }

  pair(pairId: number): AddressTopics | undefined {
    return this.byPair.get(pairId)
  }

  token(tokenId: number): AddressTopics | undefined {
    return this.byToken.get(tokenId)
  }

  find(address: string): AddressTopics | undefined {
    return this.byAddress.get(address)
  }

  all(): Iterable<AddressTopics> {
    return this.byAddress.values()
  }

  /** Of blocks and what they said; prices and ranks are what they are now. */
  channels(): Channel[] {
    const found = [...this.byAddress.values()].flatMap(({ tx, multiTx, liq, klines }) => [
      ...[tx, multiTx, liq].filter((channel) => channel !== null),
      ...(klines ?? []).flatMap((topic) => topic?.channel ?? []),
    ])
    return [this.newPairs, ...found]
  }

  open(address: string, reads: MarketReads): AddressTopics {
    const known = this.byAddress.get(address)
    if (known !== undefined) return known
    const topics = new AddressTopics(address)
    this.byAddress.set(address, topics)
    this.identify(topics, reads)
    return topics
  }

  prune(topics: AddressTopics): void {
    if (!topics.prune()) return
    this.byAddress.delete(topics.address)
    this.byPair.delete(topics.pairId)
    this.byToken.delete(topics.tokenId)
  }

  /** The engine knows a pair it did not know before. */
  pairAdded(pairId: number, address: string): void {
    this.pairCount = pairId + 1
    const topics = this.byAddress.get(address)
    if (topics === undefined) return
    topics.pairId = pairId
    this.byPair.set(pairId, topics)
  }

  tokenAdded(tokenId: number, address: string): void {
    this.tokenCount = Math.max(this.tokenCount, tokenId + 1)
    const topics = this.byAddress.get(address)
    if (topics === undefined) return
    topics.tokenId = tokenId
    this.byToken.set(tokenId, topics)
  }

  /** Ids from here on were given back by a revert and will mean others. */
  truncate(pairCount: number, tokenCount: number): void {
    for (let id = pairCount; id < this.pairCount; id += 1) {
      const topics = this.byPair.get(id)
      if (topics === undefined) continue
      topics.pairId = -1
      this.byPair.delete(id)
    }
    for (let id = tokenCount; id < this.tokenCount; id += 1) {
      const topics = this.byToken.get(id)
      if (topics === undefined) continue
      topics.tokenId = -1
      this.byToken.delete(id)
    }
    this.pairCount = pairCount
    this.tokenCount = tokenCount
  }

  /** Another market has taken this one's place: every id is looked up again. */
  rebind(reads: MarketReads): void {
    this.byPair.clear()
    this.byToken.clear()
    for (const topics of this.byAddress.values()) {
      for (const kline of topics.klines ?? []) kline?.forget()
      this.identify(topics, reads)
    }
    this.pairCount = reads.pairCount()
    this.tokenCount = reads.tokenCount()
  }

  private identify(topics: AddressTopics, reads: MarketReads): void {
    topics.pairId = reads.findPair(topics.address) ?? -1
    topics.tokenId = reads.findToken(topics.address) ?? -1
    if (topics.pairId >= 0) this.byPair.set(topics.pairId, topics)
    if (topics.tokenId >= 0) this.byToken.set(topics.tokenId, topics)
  }
}
