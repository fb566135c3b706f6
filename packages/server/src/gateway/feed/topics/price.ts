import type { PairState } from '../../../engine/marketReads.ts'
import type { MainPairEvent } from '../../../model/marketEvent.ts'
import type { Clock } from '../../chain/gatewayChain.ts'
import type { OrphanBlock } from '../../chain/recentBlocks.ts'
import { changePercent } from '../../rows/wireNumber.ts'
import { AddressIndex, type SubscribedAddress } from '../addressIndex.ts'
import type { ChainMarket } from '../chainMarket.ts'
import type { Subscriber } from '../feed.ts'
import type { ItemTarget } from '../params/itemKey.ts'
import { idListParams } from '../params/topicParams.ts'
import { dayWindowIndex, PublishScope } from '../publishScope.ts'
import { type Push, type RpcId, TextPush } from '../push.ts'
import type { ChainTopic, Topic } from '../topic.ts'
import { type PriceChange, priceEntryText, priceResult } from './priceTexts.ts'

/**
 * Topic `price`: first all current prices, then those that a block changed, in one push per
 * request.
 */
export const priceTopic: Topic = {
  variants: [{ name: 'price', params: idListParams }],
  open({ clock }) {
    // Shared by all chains, because one request may name items of several chains.
    const groups = new PriceGroups(clock)
    return (market) => new PriceTopic(market, groups)
  },
}

/** Price subscriptions of one address. */
type PriceItem = {
  /** Subscribers of this price, each with the group of its request. */
  readonly groups: Map<Subscriber, PriceGroup>
  /** USD price of the item after the last published entry; 0: unknown. */
  usd: number
}

class PriceTopic implements ChainTopic {
  readonly publish = {
    mainPair: (_: PublishScope, { tokenId }: MainPairEvent) => this.#markToken(tokenId),
  }
  readonly indexes: readonly AddressIndex<PriceItem>[]
  readonly #index: AddressIndex<PriceItem>
  readonly #market: ChainMarket
  readonly #groups: PriceGroups
  /** JSON texts of prices for the log entry being published. */
  #entries: PriceEntries | null = null
  /** Groups with prices that the log entry being published has changed. */
  #marked: PriceGroup[] = []

  constructor(market: ChainMarket, groups: PriceGroups) {
    this.#market = market
    this.#groups = groups
    this.#index = new AddressIndex(market, () => ({ groups: new Map(), usd: 0 }))
    this.indexes = [this.#index]
  }

  isEmpty(): boolean {
    return this.#index.size === 0
  }

  join({ address }: ItemTarget, subscriber: Subscriber): void {
    const isFirst = this.#index.find(address) === undefined
    const entry = this.#index.findOrAdd(address)
    const { groups } = entry.value
    if (groups.has(subscriber)) return
    if (isFirst) entry.value.usd = usdOf(this.#market, subjectOf(this.#market, entry))
    groups.set(subscriber, this.#groups.join(subscriber, { market: this.#market, entry }))
  }

  leave({ address }: ItemTarget, subscriber: Subscriber): void {
    const entry = this.#index.find(address)
    const group = entry?.value.groups.get(subscriber)
    if (entry === undefined || group === undefined) return
    entry.value.groups.delete(subscriber)
    this.#groups.leave(subscriber, group)
    if (entry.value.groups.size === 0) this.#index.delete(entry)
  }

  afterEvents(scope: PublishScope, orphan: OrphanBlock | null): void {
    const tokenCount = this.#market.chain.reads.tokenCount()
    for (const event of orphan?.block.events.toReversed() ?? []) {
      if (event.type !== 'mainPair' || !orphan!.facts.has(event.newPairId)) continue
      if (event.tokenId < tokenCount) this.#markToken(event.tokenId)
    }
    this.#markMoved(scope)
    this.#flush(scope)
  }

  reloaded(scope: PublishScope): void {
    for (const entry of this.#index.entries()) {
      const subject = subjectOf(this.#market, entry)
      entry.value.usd = usdOf(this.#market, subject)
      if (subject !== null) this.#mark(entry, subject)
    }
    this.#flush(scope)
  }

  /**
   * Finds prices that moved with a trade or with the rate of a quote token. One block may move
   * thousands of prices, so only subscribed ones are compared.
   */
  #markMoved(scope: PublishScope): void {
    for (const entry of this.#index.entries()) {
      const subject = subjectOf(this.#market, entry)
      if (subject === null) continue
      const now = usdOf(this.#market, subject)
      const before = entry.value.usd
      if (now === before) continue
      entry.value.usd = now
      this.#entriesOf(scope).setStep(subject, { now, before })
      this.#mark(entry, subject)
    }
  }

  /** Marks the price of a token whose main pair changed. */
  #markToken(tokenId: number): void {
    const ofToken = this.#index.findByToken(tokenId)
    if (ofToken === undefined || !isToken(ofToken)) return
    const subject = subjectOf(this.#market, ofToken)
    if (subject !== null) this.#mark(ofToken, subject)
  }

  #mark({ value }: SubscribedAddress<PriceItem>, subject: number): void {
    for (const group of value.groups.values()) {
      if (group.changed.size === 0) this.#marked.push(group)
      group.changed.add(subject)
    }
  }

  #flush(scope: PublishScope): void {
    const pushes = new Map<string, Push>()
    for (const group of this.#marked) {
      if (group.changed.size === 0) continue
      // The first prices of a request are pushed before changes of these prices.
      sendFirstPrices(group, scope.sentMs)
      const subjects = [...group.changed]
      group.changed.clear()
      const key = subjects.join(',')
      let push = pushes.get(key)
      if (push === undefined) {
        push = this.#push(scope, subjects)
        pushes.set(key, push)
      }
      group.sender()?.send(push)
    }
    this.#marked = []
    this.#entries = null
  }

  #push(scope: PublishScope, subjects: readonly number[]): Push {
    const { facts, name } = this.#market
    const entries = this.#entriesOf(scope)
    const addressOf = (subject: number) =>
      (subject < 0 ? facts.token(tokenOf(subject)) : facts.get(subject)).address
    const addresses = subjects.map(addressOf).sort()
    return new TextPush({
      result: priceResult(subjects.map((subject) => entries.text(subject))),
      place: scope.place,
      sentMs: scope.sentMs,
      // Only a push about the same pairs and tokens contains everything that this push contains.
      conflateKey: `price:${name}:${addresses.join(',')}`,
    })
  }

  #entriesOf(scope: PublishScope): PriceEntries {
    if (this.#entries?.scope !== scope) this.#entries = new PriceEntries(scope)
    return this.#entries
  }
}

/**
 * Whether an entry is about a token. The address of a pair means the pair, although pool shares are
 * tokens too.
 */
function isToken({ pairId }: SubscribedAddress<PriceItem>): boolean {
  return pairId < 0
}

/** Number of a token as the subject of a price: negative, while pairs use their id. */
function tokenSubject(tokenId: number): number {
  return -1 - tokenId
}

function tokenOf(subject: number): number {
  return -1 - subject
}

/** A newly subscribed price item whose first price was not sent yet. */
type NewPriceItem = { market: ChainMarket; entry: SubscribedAddress<PriceItem> }

/**
 * The price items of one subscribe request. All that a block changes of them goes into one push.
 */
class PriceGroup {
  /**
   * Subscriptions of one `price` request, which share a socket and a request id, with the number of
   * pairs and tokens that each subscribes to.
   */
  readonly members = new Map<Subscriber, number>()
  /** Pairs and tokens of the request whose price the current entry changed. */
  readonly changed = new Set<number>()
  /** Items of the request whose first price is due. */
  newItems: NewPriceItem[] = []

  sender(): Subscriber | undefined {
    return this.members.keys().next().value
  }
}

/** Groups of price items, by socket and request id. */
class PriceGroups {
  readonly #clock: Clock
  readonly #bySocket = new Map<object, Map<RpcId, PriceGroup>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  join(subscriber: Subscriber, first: NewPriceItem): PriceGroup {
    const { socket, id } = subscriber
    let byId = this.#bySocket.get(socket)
    if (byId === undefined) {
      byId = new Map()
      this.#bySocket.set(socket, byId)
    }
    let group = byId.get(id)
    if (group === undefined) {
      group = new PriceGroup()
      byId.set(id, group)
    }
    group.members.set(subscriber, (group.members.get(subscriber) ?? 0) + 1)
    this.#addFirst(group, first)
    return group
  }

  leave(subscriber: Subscriber, group: PriceGroup): void {
    const { socket, id } = subscriber
    const count = group.members.get(subscriber) ?? 0
    if (count > 1) group.members.set(subscriber, count - 1)
    else group.members.delete(subscriber)
    if (group.members.size > 0) return
    const byId = this.#bySocket.get(socket)
    byId?.delete(id)
    if (byId?.size === 0) this.#bySocket.delete(socket)
  }

  #addFirst(group: PriceGroup, first: NewPriceItem): void {
    group.newItems.push(first)
    // The other items of the request are added in the same tick, so a microtask can send all in one
    // push.
    if (group.newItems.length === 1)
      queueMicrotask(() => sendFirstPrices(group, this.#clock.nowMs()))
  }
}

/** Sends the first prices of all new items of a request in one push. */
function sendFirstPrices(group: PriceGroup, nowMs: number): void {
  const { newItems } = group
  const sender = group.sender()
  group.newItems = []
  if (newItems.length === 0 || sender === undefined) return
  const place = newItems[0]!.market.headPosition()
  const byMarket = new Map<ChainMarket, PriceEntries>()
  const texts: string[] = []
  for (const { market, entry } of newItems) {
    const subject = subjectOf(market, entry)
    if (subject === null) continue
    let entries = byMarket.get(market)
    if (entries === undefined) {
      entries = new PriceEntries(new PublishScope(market, nowMs, { windowEnd: 'now', place }))
      byMarket.set(market, entries)
    }
    texts.push(entries.text(subject))
  }
  const result = priceResult(texts)
  sender.send(new TextPush({ result, place, sentMs: nowMs, conflateKey: null }))
}

/** USD price of a pair or token; 0: unknown. */
function usdOf({ chain: { reads } }: ChainMarket, subject: number | null): number {
  if (subject === null) return 0
  return subject < 0 ? reads.tokenPrice(tokenOf(subject)).usd : reads.pairPrice(subject).usd
}

function subjectOf(
  market: ChainMarket,
  { pairId, tokenId }: SubscribedAddress<PriceItem>,
): number | null {
  if (pairId >= 0) return pairId
  return tokenId >= 0 && market.mainPairOf(tokenId) !== null ? tokenSubject(tokenId) : null
}

/** JSON texts of the prices of pairs and tokens at one moment, each built once. */
class PriceEntries {
  readonly scope: PublishScope
  /** Prices that the current entry changed, by pair or token. */
  readonly #steps = new Map<number, PriceChange>()
  readonly #texts = new Map<number, string>()

  constructor(scope: PublishScope) {
    this.scope = scope
  }

  setStep(subject: number, step: PriceChange): void {
    this.#steps.set(subject, step)
  }

  text(subject: number): string {
    let text = this.#texts.get(subject)
    if (text === undefined) {
      text = subject < 0 ? this.#tokenText(tokenOf(subject)) : this.#pairText(subject)
      this.#texts.set(subject, text)
    }
    return text
  }

  #pairText(pairId: number): string {
    const { market, nowS } = this.scope
    const day = this.scope.day(pairId)
    const { state, window, priceUsd } = day
    const facts = market.facts.get(pairId)
    return priceEntryText(facts, state, {
      addressJson: facts.target.addressJson,
      decimals: facts.target.decimals,
      step: this.#stepOf(pairId, priceUsd),
      changeToday: day.changeToday,
      window,
      makers: market.dayWalletCounts.count(market.chain, 'pair', pairId, nowS),
      tvl: { usd: state.tvlUsd, isKnown: state.areReservesKnown },
      isMainPair: market.isMainPair(state),
      timeMs: this.#timeMsOf(state),
    })
  }

  /**
   * Price of a token as JSON. Its figures cover all pairs of the token; reserves are those of its
   * main pair.
   */
  #tokenText(tokenId: number): string {
    const { market, nowS } = this.scope
    const { reads } = market.chain
    const pairId = market.mainPairOf(tokenId)!
    const { state } = this.scope.day(pairId)
    const priceUsd = reads.tokenPrice(tokenId).usd
    const window = reads.tokenTrading(tokenId, dayWindowIndex, nowS)
    return priceEntryText(market.facts.get(pairId), state, {
      ...market.facts.token(tokenId),
      step: this.#stepOf(tokenSubject(tokenId), priceUsd),
      changeToday: changePercent(reads.tokenDayOpenUsd(tokenId, nowS), priceUsd),
      window,
      makers: market.dayWalletCounts.count(market.chain, 'token', tokenId, nowS),
      tvl: reads.tokenTvl(tokenId),
      isMainPair: true,
      timeMs: this.#timeMsOf(state),
    })
  }

  #stepOf(subject: number, priceUsd: number | null): PriceChange {
    return this.#steps.get(subject) ?? { now: priceUsd, before: priceUsd }
  }

  /**
   * Milliseconds of the last update. The engine keeps only seconds, so they are known only if the
   * published block updated the pair.
   */
  #timeMsOf({ updatedAtS }: PairState): number | undefined {
    const ref = this.scope.block?.ref
    return ref?.timeS === updatedAtS ? ref.timeMs : undefined
  }
}
