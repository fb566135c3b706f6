import type { Clock } from '../../gatewayChain.ts'
import { originOf, type RecentBlock, type TradeEvent } from '../../recent/recentBlock.ts'
import type { OrphanBlock } from '../../recent/recentBlocks.ts'
import type { ChainMarket } from '../chainMarket.ts'
import type { PairFacts } from '../pairFacts.ts'
import type { Push } from '../push.ts'
import type { PlacedTrade } from '../tradeTexts.ts'
import type { FeedHistory, TradesQuery } from './feedHistory.ts'
import type { ReplayEvent, ReplaySource, StoredReplayEvent } from './replaySource.ts'

type TradeSourceParts<event extends TradeEvent> = {
  market: ChainMarket
  clock: Clock
  kind: event['type']
  /** Trades of one pair, or of all pairs of a token. */
  of: 'pair' | 'token'
  address: string
  push(trade: PlacedTrade<event>): Push
}

/** Swaps or liquidity changes of a pair or a token. */
export function createTradeReplaySource<event extends TradeEvent>(
  parts: TradeSourceParts<event>,
): ReplaySource {
  const { market, clock, kind, push } = parts
  const isWanted = (one: TradeEvent): one is event => one.type === kind

  function eventOf(
    event: event,
    { number: blockNumber, timeS }: { number: number; timeS: number },
    factsOf: () => PairFacts,
  ): ReplayEvent {
    return {
      index: originOf(event).index,
      push: (place, mark) =>
        push({ facts: factsOf(), event, blockNumber, timeS, place, sentMs: clock.nowMs(), mark }),
    }
  }

  const factsIn = (event: event) => () => market.facts.get(originOf(event).pairId)

  async function load(
    history: FeedHistory,
    query: Omit<TradesQuery, 'kind' | 'pairIds'>,
  ): Promise<StoredReplayEvent[]> {
    const rows = await history.loadTrades(market.chain, {
      kind,
      pairIds: pairIdsOf(parts),
      ...query,
    })
    const numbers = [...new Set(rows.map(({ blockNumber }) => blockNumber))]
    const refs = await history.findBlocks(market.chain, numbers)
    return rows.flatMap(({ blockNumber: number, timeS, event }) => {
      if (!isWanted(event)) return []
      const found = eventOf(event, { number, timeS }, factsIn(event))
      return [{ ...found, number, timeS, ref: refs.get(number) }]
    })
  }

  return {
    inBlock: (block) =>
      tradesOf(parts, block)
        .filter(isWanted)
        .map((event) => eventOf(event, block.ref, factsIn(event))),
    inOrphan: (orphan) =>
      orphanTradesOf(parts, orphan).flatMap(({ event, pair }) =>
        isWanted(event) ? [eventOf(event, orphan.block.ref, () => pair)] : [],
      ),
    async load(history, query) {
      const events = await load(history, { ...query, order: 'asc' })
      const last = events.at(-1)
      if (last === undefined || events.length < query.limit) return { events, next: null }
      const { number, timeS, index, ref } = last
      return { events, next: { number, timeS, index, hash: ref?.hash ?? '' } }
    },
    async loadNewest(history, query) {
      const after = { number: -1, index: -1, timeS: 0 }
      return (await load(history, { ...query, after, order: 'desc' })).reverse()
    },
  }
}

type Item = Pick<TradeSourceParts<TradeEvent>, 'market' | 'of' | 'address'>

/** What a block holds for an item, in block order. */
function tradesOf({ market, of, address }: Item, block: RecentBlock): readonly TradeEvent[] {
  const { reads } = market.chain
  if (of === 'pair') {
    const pairId = reads.findPair(address)
    return pairId === undefined ? [] : (block.trades().get(pairId) ?? [])
  }
  const tokenId = reads.findToken(address)
  if (tokenId === undefined) return []
  const trades = [...block.trades()].flatMap(([pairId, events]) => {
    const { token0, token1 } = market.facts.get(pairId)
    return token0.id === tokenId || token1.id === tokenId ? events : []
  })
  return trades.sort((a, b) => originOf(a).index - originOf(b).index)
}

/** The same of a block that was reverted, each with its pair: newest first, as it is retracted. */
function orphanTradesOf(
  { of, address }: Item,
  { block, facts }: OrphanBlock,
): { event: TradeEvent; pair: PairFacts }[] {
  return [...block.trades()]
    .flatMap(([pairId, events]) => {
      const pair = facts.get(pairId)
      if (pair === undefined) return []
      const isOf =
        of === 'token'
          ? pair.token0.address === address || pair.token1.address === address
          : pair.address === address
      return isOf ? events.map((event) => ({ event, pair })) : []
    })
    .sort((a, b) => originOf(b.event).index - originOf(a.event).index)
}

/** Pairs the store is asked about. */
function pairIdsOf({ market: { chain }, of, address }: Item): number[] {
  const { reads } = chain
  if (of === 'token') {
    const tokenId = reads.findToken(address)
    return tokenId === undefined ? [] : [...reads.tokenState(tokenId).pairIds]
  }
  const pairId = reads.findPair(address)
  return pairId === undefined ? [] : [pairId]
}
