import type { ChainMarket } from './chainMarket.ts'
import type { AddressTopics } from './chainTopics.ts'
import { EntryScope } from './entryScope.ts'
import type { Subscriber } from './feed.ts'
import type { PriceGroup } from './priceGroups.ts'
import type { Push } from './push.ts'
import { type PushPlace, TextPush } from './textPush.ts'
import { priceResult } from './topics/price.ts'

/** Gathers the prices that change in one entry, so that each group gets one push. */
export class PriceRound {
  private readonly scope: EntryScope
  private readonly groups: PriceGroup[] = []

  constructor(scope: EntryScope) {
    this.scope = scope
  }

  /** The price of a pair changed: for those who follow it, or a token whose main pair it is. */
  markPair(pairId: number): void {
    const { market } = this.scope
    const { topics } = market
    const ofPair = topics.pair(pairId)
    if (ofPair?.price) this.mark(ofPair, pairId)
    if (!topics.hasTokens) return
    const ofToken = topics.token(market.facts.get(pairId).target.id)
    if (!ofToken?.price || !isToken(ofToken)) return
    if (market.mainPairOf(ofToken.tokenId) === pairId) this.mark(ofToken, pairId)
  }

  /** A token's main pair is another one. */
  markToken(tokenId: number): void {
    const { market } = this.scope
    const topics = market.topics.token(tokenId)
    if (!topics?.price || !isToken(topics)) return
    const pairId = market.mainPairOf(tokenId)
    if (pairId !== null) this.mark(topics, pairId)
  }

  flush(place: PushPlace): void {
    const pushes = new Map<string, Push>()
    for (const group of this.groups) {
      // What is due first comes first.
      group.sendFirst?.(this.scope.sentMs)
      const pairIds = [...group.dirty]
      group.dirty.clear()
      const key = pairIds.join(',')
      let push = pushes.get(key)
      if (push === undefined) {
        push = this.push(pairIds, place)
        pushes.set(key, push)
      }
      group.sender()?.send(push)
    }
    this.groups.length = 0
  }

  private mark(topics: AddressTopics, pairId: number): void {
    for (const group of topics.price!.values()) {
      if (group.dirty.size === 0) this.groups.push(group)
      group.dirty.add(pairId)
    }
  }

  private push(pairIds: readonly number[], place: PushPlace): Push {
    const { scope } = this
    const addresses = pairIds.map((pairId) => scope.market.facts.get(pairId).address).sort()
    return new TextPush({
      result: priceResult(pairIds.map((pairId) => scope.priceEntry(pairId))),
      place,
      sentMs: scope.sentMs,
      // Only a push about the same pairs says all that this one says.
      conflateKey: `price:${scope.market.name}:${addresses.join(',')}`,
    })
  }
}

/** An item that was subscribed and got nothing yet. */
export type FirstPrice = { market: ChainMarket; topics: AddressTopics }

/** The current entries of the items that wait for them, in one push. */
export function sendFirst(first: readonly FirstPrice[], sender: Subscriber, nowMs: number): void {
  const scopes = new Map<ChainMarket, EntryScope>()
  const entries = new Set<string>()
  for (const { market, topics } of first) {
    const pairId = currentPair(market, topics)
    if (pairId === null) continue
    const scope = scopes.get(market) ?? new EntryScope(market, nowMs, 'now')
    scopes.set(market, scope)
    entries.add(scope.priceEntry(pairId))
  }
  const push = new TextPush({
    result: priceResult([...entries]),
    place: first[0]!.market.headPlace(),
    sentMs: nowMs,
    conflateKey: null,
  })
  sender.send(push)
}

function currentPair(market: ChainMarket, topics: AddressTopics): number | null {
  if (topics.pairId >= 0) return topics.pairId
  return topics.tokenId >= 0 ? market.mainPairOf(topics.tokenId) : null
}

/** An address that is a pair's is meant as the pair, though pool shares are tokens as well. */
function isToken(topics: AddressTopics): boolean {
  return topics.pairId < 0
}
