import type { MainPairEvent, PriceEvent } from '../../../model/marketEvent.ts'
import type { Clock } from '../../gatewayChain.ts'
import type { OrphanBlock } from '../../recent/recentBlocks.ts'
import { changePercent } from '../../rows/wireNumber.ts'
import { type AddressEntry, AddressIndex } from '../addressIndex.ts'
import type { ChainMarket } from '../chainMarket.ts'
import { dayWindow, EntryScope, type PairDay } from '../entryScope.ts'
import type { Subscriber } from '../feed.ts'
import type { ItemTarget } from '../params/itemKey.ts'
import { idListParams } from '../params/topicParams.ts'
import { type Push, type RpcId, TextPush } from '../push.ts'
import type { ChainTopic, Topic } from '../topic.ts'
import { type PriceStep, priceEntry, priceResult, targetSubject } from './priceTexts.ts'

/** Prices of pairs and tokens: all at first, then those that a block changed, in one push per request. */
export const price: Topic = {
  words: [{ name: 'price', params: idListParams }],
  open({ clock }) {
    // Of all chains: one request may name several.
    const groups = new PriceGroups(clock)
    return (market) => new PriceTopic(market, groups)
  },
}

/** By subscriber, the group of its request. */
type PriceItem = Map<Subscriber, PriceGroup>

class PriceTopic implements ChainTopic {
  readonly publish = {
    price: (scope: EntryScope, { pairId, priceUsd, priceUsdBefore }: PriceEvent) => {
      this.entriesOf(scope).setStep(pairId, { now: priceUsd, before: priceUsdBefore })
      this.markPair(pairId)
    },
    mainPair: (_: EntryScope, { tokenId }: MainPairEvent) => this.markToken(tokenId),
  }
  readonly indexes: readonly AddressIndex<PriceItem>[]
  private readonly index: AddressIndex<PriceItem>
  private readonly market: ChainMarket
  private readonly groups: PriceGroups
  /** Of the entry at hand. */
  private entries: PriceEntries | null = null
  /** Groups with prices that changed in it. */
  private marked: PriceGroup[] = []

  constructor(market: ChainMarket, groups: PriceGroups) {
    this.market = market
    this.groups = groups
    this.index = new AddressIndex(market, () => new Map())
    this.indexes = [this.index]
  }

  isEmpty(): boolean {
    return this.index.size === 0
  }

  join({ address }: ItemTarget, subscriber: Subscriber): void {
    const entry = this.index.open(address)
    if (entry.value.has(subscriber)) return
    const first = { market: this.market, entry }
    entry.value.set(subscriber, this.groups.join(subscriber, first))
  }

  leave({ address }: ItemTarget, subscriber: Subscriber): void {
    const entry = this.index.find(address)
    const group = entry?.value.get(subscriber)
    if (entry === undefined || group === undefined) return
    entry.value.delete(subscriber)
    this.groups.leave(subscriber, group)
    if (entry.value.size === 0) this.index.delete(entry)
  }

  end(scope: EntryScope, orphan: OrphanBlock | null): void {
    const tokenCount = this.market.chain.reads.tokenCount()
    for (const event of orphan?.block.events.toReversed() ?? []) {
      if (event.type !== 'mainPair' || !orphan!.facts.has(event.newPairId)) continue
      if (event.tokenId < tokenCount) this.markToken(event.tokenId)
    }
    this.flush(scope)
  }

  rewound(scope: EntryScope): void {
    for (const { pairId, tokenId } of this.index.entries())
      if (pairId >= 0) this.markPair(pairId)
      else if (tokenId >= 0) this.markToken(tokenId)
    this.flush(scope)
  }

  /** The price of a pair changed: for those who follow it, and a token whose main pair it is. */
  private markPair(pairId: number): void {
    const { market, index } = this
    const ofPair = index.pair(pairId)
    if (ofPair !== undefined) this.mark(ofPair, pairId)
    if (!index.hasTokens) return
    const { token0, token1 } = market.facts.get(pairId)
    for (const { id } of [token0, token1])
      if (index.token(id) !== undefined && market.mainPairOf(id) === pairId) this.markToken(id)
  }

  /** The price of a token's main pair changed, or that is another one. */
  private markToken(tokenId: number): void {
    const ofToken = this.index.token(tokenId)
    if (ofToken === undefined || !isToken(ofToken)) return
    if (this.market.mainPairOf(tokenId) !== null) this.mark(ofToken, tokenSubject(tokenId))
  }

  private mark({ value }: AddressEntry<PriceItem>, subject: number): void {
    for (const group of value.values()) {
      if (group.changed.size === 0) this.marked.push(group)
      group.changed.add(subject)
    }
  }

  private flush(scope: EntryScope): void {
    const pushes = new Map<string, Push>()
    for (const group of this.marked) {
      if (group.changed.size === 0) continue
      // What is due first comes first.
      sendFirst(group, scope.sentMs)
      const subjects = [...group.changed]
      group.changed.clear()
      const key = subjects.join(',')
      let push = pushes.get(key)
      if (push === undefined) {
        push = this.push(scope, subjects)
        pushes.set(key, push)
      }
      group.sender()?.send(push)
    }
    this.marked = []
    this.entries = null
  }

  private push(scope: EntryScope, subjects: readonly number[]): Push {
    const { facts, name } = this.market
    const entries = this.entriesOf(scope)
    const addressOf = (subject: number) =>
      (subject < 0 ? facts.token(tokenOf(subject)) : facts.get(subject)).address
    const addresses = subjects.map(addressOf).sort()
    return new TextPush({
      result: priceResult(subjects.map((subject) => entries.text(subject))),
      place: scope.place,
      sentMs: scope.sentMs,
      // Only a push about the same pairs and tokens says all that this one says.
      conflateKey: `price:${name}:${addresses.join(',')}`,
    })
  }

  private entriesOf(scope: EntryScope): PriceEntries {
    if (this.entries?.scope !== scope) this.entries = new PriceEntries(scope)
    return this.entries
  }
}

/** An address that is a pair's is meant as the pair, though pool shares are tokens as well. */
function isToken({ pairId }: AddressEntry<PriceItem>): boolean {
  return pairId < 0
}

/** What an entry is about: a pair by its id, a token by a number below 0. */
function tokenSubject(tokenId: number): number {
  return -1 - tokenId
}

function tokenOf(subject: number): number {
  return -1 - subject
}

/** An item that was subscribed and got nothing yet. */
type FirstPrice = { market: ChainMarket; entry: AddressEntry<PriceItem> }

/** The price items of one subscribe request: what changes in a block goes to it in one push. */
class PriceGroup {
  /** With the number of items of each. All have the same socket and id. */
  readonly members = new Map<Subscriber, number>()
  /** Pairs and tokens that changed in the entry at hand. */
  readonly changed = new Set<number>()
  /** Items whose first push is due. */
  first: FirstPrice[] = []

  sender(): Subscriber | undefined {
    return this.members.keys().next().value
  }
}

/** By socket and id of the request. */
class PriceGroups {
  private readonly clock: Clock
  private readonly bySocket = new Map<object, Map<RpcId, PriceGroup>>()

  constructor(clock: Clock) {
    this.clock = clock
  }

  join(subscriber: Subscriber, first: FirstPrice): PriceGroup {
    const { socket, id } = subscriber
    let byId = this.bySocket.get(socket)
    if (byId === undefined) {
      byId = new Map()
      this.bySocket.set(socket, byId)
    }
    let group = byId.get(id)
    if (group === undefined) {
      group = new PriceGroup()
      byId.set(id, group)
    }
    group.members.set(subscriber, (group.members.get(subscriber) ?? 0) + 1)
    this.addFirst(group, first)
    return group
  }

  leave(subscriber: Subscriber, group: PriceGroup): void {
    const { socket, id } = subscriber
    const count = group.members.get(subscriber) ?? 0
    if (count > 1) group.members.set(subscriber, count - 1)
    else group.members.delete(subscriber)
    if (group.members.size > 0) return
    const byId = this.bySocket.get(socket)
    byId?.delete(id)
    if (byId?.size === 0) this.bySocket.delete(socket)
  }

  private addFirst(group: PriceGroup, first: FirstPrice): void {
    group.first.push(first)
    // The other items of the request are added in this same turn: one push for all of them.
    if (group.first.length === 1) queueMicrotask(() => sendFirst(group, this.clock.nowMs()))
  }
}

/** The current entries of the items that wait for them, in one push. */
function sendFirst(group: PriceGroup, nowMs: number): void {
  const { first } = group
  const sender = group.sender()
  group.first = []
  if (first.length === 0 || sender === undefined) return
  const place = first[0]!.market.headPlace()
  const byMarket = new Map<ChainMarket, PriceEntries>()
  const texts: string[] = []
  for (const { market, entry } of first) {
    const subject = subjectOf(market, entry)
    if (subject === null) continue
    let entries = byMarket.get(market)
    if (entries === undefined) {
      entries = new PriceEntries(new EntryScope(market, nowMs, { windowEnd: 'now', place }))
      byMarket.set(market, entries)
    }
    texts.push(entries.text(subject))
  }
  const result = priceResult(texts)
  sender.send(new TextPush({ result, place, sentMs: nowMs, conflateKey: null }))
}

function subjectOf(
  market: ChainMarket,
  { pairId, tokenId }: AddressEntry<PriceItem>,
): number | null {
  if (pairId >= 0) return pairId
  return tokenId >= 0 && market.mainPairOf(tokenId) !== null ? tokenSubject(tokenId) : null
}

/** Entries of pairs and tokens at one moment, each made once. */
class PriceEntries {
  readonly scope: EntryScope
  private readonly steps = new Map<number, PriceStep>()
  private readonly texts = new Map<number, string>()

  constructor(scope: EntryScope) {
    this.scope = scope
  }

  /** The pair's price changed in the entry at hand. */
  setStep(pairId: number, step: PriceStep): void {
    this.steps.set(pairId, step)
  }

  text(subject: number): string {
    let text = this.texts.get(subject)
    if (text === undefined) {
      text = subject < 0 ? this.tokenText(tokenOf(subject)) : this.pairText(subject)
      this.texts.set(subject, text)
    }
    return text
  }

  private pairText(pairId: number): string {
    const { market } = this.scope
    const day = this.scope.day(pairId)
    const step = this.steps.get(pairId) ?? { now: day.priceUsd, before: day.priceUsd }
    const facts = market.facts.get(pairId)
    const isMainPair = market.isMainPair(day.state)
    const subject = targetSubject(facts, day, step, isMainPair, this.timeMsOf(pairId, day))
    return priceEntry(facts, day, subject)
  }

  /** The engine keeps whole seconds: the rest is known in the push of the block that changed the price. */
  private timeMsOf(pairId: number, { state }: PairDay): number | undefined {
    const ref = this.scope.block?.ref
    return this.steps.has(pairId) && state.updatedAtS === ref?.timeS ? ref.timeMs : undefined
  }

  /** The token's own price and changes; what was traded and what is held is its main pair's. */
  private tokenText(tokenId: number): string {
    const { market, nowS } = this.scope
    const { reads } = market.chain
    const pairId = market.mainPairOf(tokenId)!
    const day = this.scope.day(pairId)
    const facts = market.facts.get(pairId)
    const isTarget = facts.target.id === tokenId
    const priceUsd = isTarget ? day.priceUsd : reads.tokenWorth(tokenId).priceUsd
    const changed = isTarget ? this.steps.get(pairId) : undefined
    return priceEntry(facts, day, {
      ...market.facts.token(tokenId),
      step: changed ?? { now: priceUsd, before: priceUsd },
      changeToday: changePercent(reads.tokenDayOpenUsd(tokenId, nowS), priceUsd),
      change24h: reads.tokenChange(tokenId, dayWindow, nowS),
      isMainPair: true,
      timeMs: this.timeMsOf(pairId, day),
    })
  }
}
