import type { Clock } from '../gatewayChain.ts'
import type { ChainMarket } from './chainMarket.ts'
import { EntryScope } from './entryScope.ts'
import { errorPush } from './errorPush.ts'
import type { Subscriber } from './feed.ts'
import { publishOpenKlines } from './publishKlines.ts'
import { PriceRound } from './publishPrices.ts'

const text =
  'A reorg took back more blocks than are held; drop what came after data.cursor and resume there.'

/**
 * The market was loaded again at an older block. Who asked to be told what a reorg takes back learns where to resume,
 * for that is known no longer, and is listed; the others get their klines and prices as they are now.
 */
export function publishRewind(market: ChainMarket, clock: Clock): Subscriber[] {
  const { topics } = market
  const place = market.headPlace()
  const push = errorPush('cursor_orphaned', text, { cursor: place.cursor, param: 'since' })
  const ended = topics.channels().flatMap((channel) => channel.takeRevisions())
  for (const subscriber of ended) subscriber.send(push)
  const scope = new EntryScope(market, clock.nowMs(), 'block')
  const prices = new PriceRound(scope)
  for (const { pairId, tokenId } of topics.all()) {
    if (pairId >= 0) publishOpenKlines(scope, pairId, place, false)
    if (pairId >= 0) prices.markPair(pairId)
    else if (tokenId >= 0) prices.markToken(tokenId)
  }
  prices.flush(place)
  return ended
}
