import { originOf, type RecentBlock, type TradeEvent } from '../../recent/recentBlock.ts'
import type { ChainMarket } from '../chainMarket.ts'
import type { PairFacts } from '../pairFacts.ts'
import { pushedWorth } from '../tradeTexts.ts'
import type { StoredTradeFilter, TradesQuery } from './feedHistory.ts'

/** Which trades an item is about. */
export type TradeSelection = {
  /** In block order. */
  inBlock(block: RecentBlock): readonly TradeEvent[]
  /** Of a block that was reverted: its pairs may be gone. */
  isOf(event: TradeEvent, pair: PairFacts): boolean
  /** What the store is asked for. */
  stored(): Pick<TradesQuery, 'pairIds' | 'filter'>
  /** A snapshot has none that are older; absent: it has whatever is the newest. */
  snapshotAgeMaxS?: number
}

export function tradesOfPair({ chain: { reads } }: ChainMarket, address: string): TradeSelection {
  return {
    inBlock(block) {
      const pairId = reads.findPair(address)
      return pairId === undefined ? [] : (block.trades().get(pairId) ?? [])
    },
    isOf: (_, pair) => pair.address === address,
    stored() {
      const pairId = reads.findPair(address)
      return { pairIds: pairId === undefined ? [] : [pairId] }
    },
  }
}

/** Of every pair of a token. */
export function tradesOfToken(market: ChainMarket, address: string): TradeSelection {
  const { reads } = market.chain
  return {
    inBlock(block) {
      const tokenId = reads.findToken(address)
      if (tokenId === undefined) return []
      const trades = [...block.trades()].flatMap(([pairId, events]) => {
        const { token0, token1 } = market.facts.get(pairId)
        return token0.id === tokenId || token1.id === tokenId ? events : []
      })
      return trades.sort((a, b) => originOf(a).index - originOf(b).index)
    },
    isOf: (_, { token0, token1 }) => token0.address === address || token1.address === address,
    stored() {
      const tokenId = reads.findToken(address)
      return { pairIds: tokenId === undefined ? [] : [...reads.tokenState(tokenId).pairIds] }
    },
  }
}

/** Of a wallet, in trusted pools: any contract can say that somebody traded with it. */
export function tradesOfWallet(market: ChainMarket, wallet: string): TradeSelection {
  const isOf = (event: TradeEvent, { isTrusted }: PairFacts) =>
    isTrusted && originOf(event).wallet === wallet
  const filter: StoredTradeFilter = { wallet, isTrusted: true }
  return { ...inAnyPair(market, isOf), stored: () => ({ pairIds: null, filter }) }
}

/** What trades of a whole chain are selected by. */
export type TradeFilter = {
  /** 1e-8 USD. */
  usdE8Min: number
  /** As `amm` names it; null: any. */
  venue: string | null
}

// Behind it a filter that little passes would have the store look through years.
const snapshotAgeMaxS = 86_400

/** Of a whole chain. */
export function tradesOfChain(market: ChainMarket, filter: TradeFilter): TradeSelection {
  const { usdE8Min, venue } = filter
  const isOf = createTradeTest(filter)
  const ofStore: StoredTradeFilter = {
    ...(usdE8Min > 0 ? { usdE8Min, isTrusted: true } : {}),
    ...(venue === null ? {} : { venue }),
  }
  return {
    ...inAnyPair(market, isOf),
    stored: () => ({ pairIds: null, filter: ofStore }),
    snapshotAgeMaxS,
  }
}

/** Does a trade pass the filter? Those of untrusted pools are worth nothing. */
export function createTradeTest({ usdE8Min, venue }: TradeFilter) {
  const ammJson = venue === null ? null : JSON.stringify(venue)
  return (event: TradeEvent, pair: PairFacts): boolean =>
    (ammJson === null || pair.ammJson === ammJson) && pushedWorth(pair, event).usdE8 >= usdE8Min
}

function inAnyPair({ facts }: ChainMarket, isOf: TradeSelection['isOf']) {
  return {
    isOf,
    inBlock: ({ events }: RecentBlock) =>
      events.filter(
        (event): event is TradeEvent =>
          (event.type === 'swap' || event.type === 'liquidity') &&
          isOf(event, facts.get(originOf(event).pairId)),
      ),
  }
}
