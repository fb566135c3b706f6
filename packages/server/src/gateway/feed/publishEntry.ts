import type { MainPairEvent, MarketEvent } from '../../model/marketEvent.ts'
import type { Clock } from '../gatewayChain.ts'
import type { RecentBlock } from '../recent/recentBlock.ts'
import type { OrphanBlock } from '../recent/recentBlocks.ts'
import type { ChainMarket } from './chainMarket.ts'
import { EntryScope } from './entryScope.ts'
import type { Subscriber } from './feed.ts'
import type { PairFacts } from './pairFacts.ts'
import {
  publishEndedKlines,
  publishOpenKlines,
  publishReopened,
  reopenKlines,
} from './publishKlines.ts'
import { publishNews, retractNews } from './publishNews.ts'
import { PriceRound } from './publishPrices.ts'
import { publishSwitch, publishSwitchBack } from './publishSwitch.ts'
import { publishLiquidity, publishSwap, retractTrades } from './publishTrades.ts'
import { TextPush } from './textPush.ts'

/** Sends what a new block changed to those who listen. */
export function publishBlock(market: ChainMarket, block: RecentBlock, clock: Clock): void {
  if (market.topics.isEmpty) return
  const scope = new EntryScope(market, clock.nowMs(), 'block')
  const prices = new PriceRound(scope)
  const place = block.endPlace()
  for (const event of block.events) {
    switch (event.type) {
      case 'swap':
        publishSwap(scope, block, event)
        break
      case 'liquidity':
        publishLiquidity(scope, block, event)
        break
      case 'endedKlines':
        publishEndedKlines(scope, event, place)
        break
      case 'openKlines':
        publishOpenKlines(scope, event.pairId, place, false)
        break
      case 'price':
        scope.setStep(event.pairId, { now: event.priceUsd, before: event.priceUsdBefore })
        prices.markPair(event.pairId)
        break
      case 'mainPair':
        market.setMainPair(event.tokenId, event.newPairId)
        publishSwitch(scope, event, place)
        prices.markToken(event.tokenId)
        break
    }
  }
  prices.flush(place)
  publishNews(scope, block)
  publishTrending(market, clock)
}

/** Takes back what the block said, to those who asked for it, and sends the market as it is without it. */
export function publishRevert(
  market: ChainMarket,
  orphan: OrphanBlock | null,
  events: readonly MarketEvent[],
  clock: Clock,
): void {
  if (market.topics.isEmpty) return
  const scope = new EntryScope(market, clock.nowMs(), 'block')
  const prices = new PriceRound(scope)
  const place = market.headPlace()
  if (orphan !== null) {
    retractTrades(scope, orphan)
    retractNews(scope, orphan)
  }
  const reopened =
    orphan?.block.events.flatMap((event) =>
      event.type === 'endedKlines' ? reopenKlines(scope, event) : [],
    ) ?? []
  const traded = new Set<number>()
  for (const event of events)
    if (event.type === 'openKlines') {
      traded.add(event.pairId)
      publishOpenKlines(scope, event.pairId, place, true)
    } else if (event.type === 'price') {
      scope.setStep(event.pairId, { now: event.priceUsd, before: event.priceUsdBefore })
      prices.markPair(event.pairId)
    }
  for (const one of reopened) if (!traded.has(one.pairId)) publishReopened(scope, one, place)
  for (const [event, left] of orphan === null ? [] : switchesOf(orphan)) {
    publishSwitchBack(scope, event, left, place)
    if (event.tokenId < market.chain.reads.tokenCount()) prices.markToken(event.tokenId)
  }
  prices.flush(place)
}

/** Newest first, each with the pair that is left again. */
function switchesOf({ block, facts }: OrphanBlock): [MainPairEvent, PairFacts][] {
  return block.events.toReversed().flatMap((event): [MainPairEvent, PairFacts][] => {
    const left = event.type === 'mainPair' ? facts.get(event.newPairId) : undefined
    return event.type === 'mainPair' && left !== undefined ? [[event, left]] : []
  })
}

/** The ranks as they are, to one who joins; to the others as well if they are new. */
export function sendTrending(market: ChainMarket, to: Subscriber, clock: Clock): void {
  const isNew = market.trending.refresh(market.chain, clock)
  const push = trendingPush(market, clock.nowMs())
  if (isNew) market.topics.trending.send(push)
  to.send(push)
}

function publishTrending(market: ChainMarket, clock: Clock): void {
  const { topics, trending, chain } = market
  if (topics.trending.size === 0 || !trending.refresh(chain, clock)) return
  topics.trending.send(trendingPush(market, clock.nowMs()))
}

function trendingPush(market: ChainMarket, nowMs: number): TextPush {
  const { trending, chain, facts, name } = market
  const nowS = Math.max(Math.floor(nowMs / 1_000), chain.reads.head()?.timeS ?? 0)
  return new TextPush({
    result: trending.result(chain, facts, nowS),
    place: market.headPlace(),
    sentMs: nowMs,
    conflateKey: `trending:${name}`,
  })
}
