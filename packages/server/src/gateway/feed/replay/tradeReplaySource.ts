import type { Clock } from '../../gatewayChain.ts'
import { originOf, type TradeEvent } from '../../recent/recentBlock.ts'
import type { ChainMarket } from '../chainMarket.ts'
import type { PairFacts } from '../pairFacts.ts'
import type { ItemTarget } from '../params/itemKey.ts'
import { tradePush } from '../tradePush.ts'
import type { FeedHistory, StoredTrade, TradesQuery } from './feedHistory.ts'
import type { ReplayEvent, ReplaySource, StoredReplayEvent } from './replaySource.ts'
import { orphanTradesOf, pairIdsOf, type TradeTopic, tradesOf } from './tradeSource.ts'

/** Swaps or liquidity changes of a pair or a token. */
export function createTradeReplaySource(
  market: ChainMarket,
  target: ItemTarget & { topic: TradeTopic },
  clock: Clock,
): ReplaySource {
  function eventOf(
    event: TradeEvent,
    { number: blockNumber, timeS }: { number: number; timeS: number },
    factsOf: () => PairFacts,
  ): ReplayEvent {
    return {
      index: originOf(event).index,
      push: (place, mark) =>
        tradePush(target.topic, {
          ...{ facts: factsOf(), event, blockNumber, timeS, place, sentMs: clock.nowMs(), mark },
        }),
    }
  }

  const factsIn = (event: TradeEvent) => () => market.facts.get(originOf(event).pairId)

  async function load(
    history: FeedHistory,
    query: Omit<TradesQuery, 'kind' | 'pairIds'>,
  ): Promise<StoredReplayEvent[]> {
    const rows: readonly StoredTrade[] = await history.loadTrades(market.chain, {
      kind: target.topic === 'liq' ? 'liquidity' : 'swap',
      pairIds: pairIdsOf(market, target),
      ...query,
    })
    const numbers = [...new Set(rows.map(({ blockNumber }) => blockNumber))]
    const refs = await history.findBlocks(market.chain, numbers)
    return rows.map(({ blockNumber: number, timeS, event }) => ({
      ...eventOf(event, { number, timeS }, factsIn(event)),
      ...{ number, timeS, ref: refs.get(number) },
    }))
  }

  return {
    inBlock: (block) =>
      tradesOf(market, target, block).map((event) => eventOf(event, block.ref, factsIn(event))),
    inOrphan: (orphan) =>
      orphanTradesOf(target, orphan).map(({ event, pair }) =>
        eventOf(event, orphan.block.ref, () => pair),
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
