import { originOf, type RecentBlock, type TradeEvent } from '../../recent/recentBlock.ts'
import type { OrphanBlock } from '../../recent/recentBlocks.ts'
import type { ChainMarket } from '../chainMarket.ts'
import type { PairFacts } from '../pairFacts.ts'
import type { ItemTarget } from '../params/itemKey.ts'

export type TradeTopic = 'tx' | 'multi_tx' | 'liq'

export function isTradeTopic(topic: string): topic is TradeTopic {
  return topic === 'tx' || topic === 'multi_tx' || topic === 'liq'
}

type Target = Pick<ItemTarget, 'topic' | 'address'>

/** What a block holds for an item, in block order. */
export function tradesOf(
  market: ChainMarket,
  { topic, address }: Target,
  block: RecentBlock,
): readonly TradeEvent[] {
  const { reads } = market.chain
  const wanted = topic === 'liq' ? 'liquidity' : 'swap'
  const isWanted = (event: TradeEvent) => event.type === wanted
  if (topic !== 'multi_tx') {
    const pairId = reads.findPair(address)
    return pairId === undefined ? [] : (block.trades().get(pairId) ?? []).filter(isWanted)
  }
  const tokenId = reads.findToken(address)
  if (tokenId === undefined) return []
  const trades = [...block.trades()].flatMap(([pairId, events]) => {
    const { token0, token1 } = market.facts.get(pairId)
    return token0.id === tokenId || token1.id === tokenId ? events.filter(isWanted) : []
  })
  return trades.sort((a, b) => originOf(a).index - originOf(b).index)
}

/** The same of a block that was reverted, each with its pair: newest first, as it is retracted. */
export function orphanTradesOf(
  { topic, address }: Target,
  { block, facts }: OrphanBlock,
): { event: TradeEvent; pair: PairFacts }[] {
  const wanted = topic === 'liq' ? 'liquidity' : 'swap'
  return [...block.trades()]
    .flatMap(([pairId, events]) => {
      const pair = facts.get(pairId)
      if (pair === undefined) return []
      const isOf =
        topic === 'multi_tx'
          ? pair.token0.address === address || pair.token1.address === address
          : pair.address === address
      if (!isOf) return []
      return events.filter(({ type }) => type === wanted).map((event) => ({ event, pair }))
    })
    .sort((a, b) => originOf(b.event).index - originOf(a.event).index)
}

/** Pairs the store is asked about. */
export function pairIdsOf({ chain: { reads } }: ChainMarket, { topic, address }: Target): number[] {
  if (topic === 'multi_tx') {
    const tokenId = reads.findToken(address)
    return tokenId === undefined ? [] : [...reads.tokenState(tokenId).pairIds]
  }
  const pairId = reads.findPair(address)
  return pairId === undefined ? [] : [pairId]
}
