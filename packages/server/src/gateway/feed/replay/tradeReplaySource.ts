import type { BlockTime } from '../../../model/block.ts'
import type { Clock } from '../../chain/gatewayChain.ts'
import type { PairFacts } from '../../chain/pairFacts.ts'
import { type TradeEvent, tradeDataOf } from '../../chain/recentBlock.ts'
import type { OrphanBlock } from '../../chain/recentBlocks.ts'
import type { ChainMarket } from '../chainMarket.ts'
import type { Push } from '../push.ts'
import type { LocatedTrade } from '../tradeTexts.ts'
import type { ReplayEvent, ReplaySource, StoredReplayEvent } from './replaySource.ts'
import type { ReplayStore, TradesQuery } from './replayStore.ts'
import type { TradeSelection } from './tradeSelection.ts'

type TradeSourceParts<event extends TradeEvent> = {
  market: ChainMarket
  clock: Clock
  kind: event['type']
  selection: TradeSelection
  push(trade: LocatedTrade<event>): Push
}

/** Replay source of the swaps or liquidity changes that a selection matches. */
export function createTradeReplaySource<event extends TradeEvent>(
  parts: TradeSourceParts<event>,
): ReplaySource {
  const { market, clock, kind, selection, push } = parts
  const isWanted = (one: TradeEvent): one is event => one.type === kind

  function eventOf(
    event: event,
    { number: blockNumber, timeS, timeMs }: { number: number } & BlockTime,
    factsOf: () => PairFacts,
  ): ReplayEvent {
    return {
      index: tradeDataOf(event).index,
      push: (place, mark) =>
        push({
          facts: factsOf(),
          event,
          blockNumber,
          timeS,
          timeMs,
          place,
          sentMs: clock.nowMs(),
          mark,
        }),
    }
  }

  const factsIn = (event: event) => () => market.facts.get(tradeDataOf(event).pairId)

  async function load(
    history: ReplayStore,
    query: Omit<TradesQuery, 'kind' | 'pairIds' | 'filter'>,
  ): Promise<StoredReplayEvent[]> {
    const rows = await history.loadTrades(market.chain, {
      kind,
      ...selection.storeQuery(),
      ...query,
    })
    const numbers = [...new Set(rows.map(({ blockNumber }) => blockNumber))]
    const refs = await history.findBlocks(market.chain, numbers)
    return rows.flatMap(({ blockNumber: number, timeS, timeMs, event }) => {
      if (!isWanted(event)) return []
      const found = eventOf(event, { number, timeS, timeMs }, factsIn(event))
      return [{ ...found, number, timeS, ref: refs.get(number) }]
    })
  }

  return {
    eventsIn: (block) =>
      selection
        .tradesIn(block)
        .filter(isWanted)
        .map((event) => eventOf(event, block.ref, factsIn(event))),
    revertedEventsIn: (orphan) =>
      orphanTradesOf(selection, orphan).flatMap(({ event, pair }) =>
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
      const headS = market.chain.reads.head()?.timeS ?? 0
      const timeS = Math.max(0, headS - (selection.snapshotAgeMaxS ?? headS))
      const after = { number: -1, index: -1, timeS }
      return (await load(history, { ...query, after, order: 'desc' })).reverse()
    },
  }
}

/**
 * Matching trades of a reverted block with their pairs, newest first, the order of their
 * retractions.
 */
function orphanTradesOf(
  { matches }: TradeSelection,
  { block, facts }: OrphanBlock,
): { event: TradeEvent; pair: PairFacts }[] {
  return [...block.trades()]
    .flatMap(([pairId, events]) => {
      const pair = facts.get(pairId)
      if (pair === undefined) return []
      return events.filter((event) => matches(event, pair)).map((event) => ({ event, pair }))
    })
    .sort((a, b) => tradeDataOf(b.event).index - tradeDataOf(a.event).index)
}
