import type { ChainMarket } from './chainMarket.ts'
import { PushChannel } from './channel.ts'
import type { Subscriber } from './feed.ts'
import type { ItemTarget } from './params/itemKey.ts'

export type SubscribedAddress<value> = {
  readonly address: string
  /** Id of the pair with this address; -1 while the engine knows no such pair. */
  pairId: number
  tokenId: number
  readonly value: value
}

/**
 * Subscribed addresses of one topic. Found by address, or by pair or token id when an event
 * arrives.
 */
export class AddressIndex<value> {
  protected readonly market: ChainMarket
  readonly #make: () => value
  readonly #byAddress = new Map<string, SubscribedAddress<value>>()
  readonly #byPair = new Map<number, SubscribedAddress<value>>()
  readonly #byToken = new Map<number, SubscribedAddress<value>>()

  constructor(market: ChainMarket, make: () => value) {
    this.market = market
    this.#make = make
  }

  get size(): number {
    return this.#byAddress.size
  }

  get hasTokens(): boolean {
    return this.#byToken.size > 0
  }

  findByPair(pairId: number): SubscribedAddress<value> | undefined {
    return this.#byPair.get(pairId)
  }

  findByToken(tokenId: number): SubscribedAddress<value> | undefined {
    return this.#byToken.get(tokenId)
  }

  find(address: string): SubscribedAddress<value> | undefined {
    return this.#byAddress.get(address)
  }

  entries(): Iterable<SubscribedAddress<value>> {
    return this.#byAddress.values()
  }

  findOrAdd(address: string): SubscribedAddress<value> {
    const known = this.#byAddress.get(address)
    if (known !== undefined) return known
    const entry = { address, pairId: -1, tokenId: -1, value: this.#make() }
    this.#byAddress.set(address, entry)
    this.#bindIds(entry)
    return entry
  }

  delete({ address, pairId, tokenId }: SubscribedAddress<value>): void {
    this.#byAddress.delete(address)
    this.#byPair.delete(pairId)
    this.#byToken.delete(tokenId)
  }

  /** Called when the engine has added a pair: binds a subscribed address to the pair's id. */
  pairAdded(pairId: number, address: string): void {
    const entry = this.#byAddress.get(address)
    if (entry === undefined) return
    entry.pairId = pairId
    this.#byPair.set(pairId, entry)
  }

  tokenAdded(tokenId: number, address: string): void {
    const entry = this.#byAddress.get(address)
    if (entry === undefined) return
    entry.tokenId = tokenId
    this.#byToken.set(tokenId, entry)
  }

  /**
   * Unbinds the ids that a revert freed, because the engine will assign them to other pairs and
   * tokens.
   */
  unbindFreedIds(): void {
    const { reads } = this.market.chain
    const pairCount = reads.pairCount()
    const tokenCount = reads.tokenCount()
    for (const [pairId, entry] of this.#byPair) {
      if (pairId < pairCount) continue
      entry.pairId = -1
      this.#byPair.delete(pairId)
    }
    for (const [tokenId, entry] of this.#byToken) {
      if (tokenId < tokenCount) continue
      entry.tokenId = -1
      this.#byToken.delete(tokenId)
    }
  }

  /** Looks up every id again after the chain's market was replaced. */
  rebind(): void {
    this.#byPair.clear()
    this.#byToken.clear()
    for (const entry of this.#byAddress.values()) this.#bindIds(entry)
  }

  #bindIds(entry: SubscribedAddress<value>): void {
    const { reads } = this.market.chain
    entry.pairId = reads.findPair(entry.address) ?? -1
    entry.tokenId = reads.findToken(entry.address) ?? -1
    if (entry.pairId >= 0) this.#byPair.set(entry.pairId, entry)
    if (entry.tokenId >= 0) this.#byToken.set(entry.tokenId, entry)
  }
}

/** Address index with one channel of subscribers per address. */
export class AddressChannels extends AddressIndex<PushChannel> {
  constructor(market: ChainMarket) {
    super(market, () => new PushChannel())
  }

  join({ address }: ItemTarget, subscriber: Subscriber, fromSeq: number): void {
    this.findOrAdd(address).value.add(subscriber, fromSeq, this.market.recent.seq)
  }

  leave({ address }: ItemTarget, subscriber: Subscriber): void {
    const entry = this.find(address)
    if (entry === undefined) return
    entry.value.delete(subscriber)
    if (entry.value.size === 0) this.delete(entry)
  }

  channels(): PushChannel[] {
    return Array.from(this.entries(), ({ value }) => value)
  }
}
