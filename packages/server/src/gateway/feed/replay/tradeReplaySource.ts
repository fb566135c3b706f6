import type { BlockTime } from '../../../model/block.ts'
import type { Clock } from '../../chain/gatewayChain.ts'
import type { PairFacts } from '../../chain/pairFacts.ts'
import { type RecentBlock, type TradeEvent, tradeDataOf } from '../../chain/recentBlock.ts'
import type { OrphanBlock } from '../../chain/recentBlocks.ts'
import type { ChainMarket } from '../chainMarket.ts'
import type { Push } from '../push.ts'
import { type LocatedTrade, pushedValue } from '../tradeTexts.ts'
import type { ReplayEvent, ReplaySource, StoredReplayEvent } from './replaySource.ts'
import type { ReplayStore, StoredTradeFilter, TradesQuery } from './replayStore.ts'

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

/** Selects the trades of an item, in blocks and in the store. */
export type TradeSelection = {
  /** Returns the matching trades of a canonical block, in block order. */
  tradesIn(block: RecentBlock): readonly TradeEvent[]
  /** Tests a trade of a reverted block, whose pair the engine may no longer know. */
  matches(event: TradeEvent, pair: PairFacts): boolean
  /** Returns the store query that finds the matching trades. */
  storeQuery(): Pick<TradesQuery, 'pairIds' | 'filter'>
  /** Maximum age of trades in a snapshot; absent: no limit. */
  snapshotAgeMaxS?: number
}

export function tradesOfPair({ chain: { reads } }: ChainMarket, address: string): TradeSelection {
  return {
    tradesIn(block) {
      const pairId = reads.findPair(address)
      return pairId === undefined ? [] : (block.trades().get(pairId) ?? [])
    },
    matches: (_, pair) => pair.address === address,
    storeQuery() {
      const pairId = reads.findPair(address)
      return { pairIds: pairId === undefined ? [] : [pairId] }
    },
  }
}

/** Selects trades of every pair of a token. */
export function tradesOfToken(market: ChainMarket, address: string): TradeSelection {
  const { reads } = market.chain
  return {
    tradesIn(block) {
      const tokenId = reads.findToken(address)
      if (tokenId === undefined) return []
      const trades = [...block.trades()].flatMap(([pairId, events]) => {
        const { token0, token1 } = market.facts.get(pairId)
        return token0.id === tokenId || token1.id === tokenId ? events : []
      })
      return trades.sort((a, b) => tradeDataOf(a).index - tradeDataOf(b).index)
    },
    matches: (_, { token0, token1 }) => token0.address === address || token1.address === address,
    storeQuery() {
      const tokenId = reads.findToken(address)
      return { pairIds: tokenId === undefined ? [] : [...reads.tokenState(tokenId).pairIds] }
    },
  }
}

/**
 * Selects trades of a wallet in trusted pools. Any untrusted contract can claim that a wallet
 * traded in it.
 */
export function tradesOfWallet(market: ChainMarket, wallet: string): TradeSelection {
  const matches = (event: TradeEvent, { isTrusted }: PairFacts) =>
    isTrusted && tradeDataOf(event).wallet === wallet
  const filter: StoredTradeFilter = { wallet, isTrusted: true }
  return { ...inAnyPair(market, matches), storeQuery: () => ({ pairIds: null, filter }) }
}

/** Filter on the trades of a whole chain. */
export type TradeFilter = {
  /** Minimum value of a trade, in 1e-8 USD; 0: any value. */
  usdE8Min: number
  /** Venue of the trades, as the field `amm` names it; null: any venue. */
  venue: string | null
}

// Without this limit, a filter that matches few trades would make the store scan years.
const snapshotAgeMaxS = 86_400

/** Selects the trades of a whole chain that pass a filter. */
export function tradesOfChain(market: ChainMarket, filter: TradeFilter): TradeSelection {
  const { usdE8Min, venue } = filter
  const matches = createTradeTest(filter)
  const ofStore: StoredTradeFilter = {
    ...(usdE8Min > 0 ? { usdE8Min, isTrusted: true } : {}),
    ...(venue === null ? {} : { venue }),
  }
  return {
    ...inAnyPair(market, matches),
    storeQuery: () => ({ pairIds: null, filter: ofStore }),
    snapshotAgeMaxS,
  }
}

/** Creates a test of trades against a filter. Trades in untrusted pools have a value of 0. */
export function createTradeTest({ usdE8Min, venue }: TradeFilter) {
  const ammJson = venue === null ? null : JSON.stringify(venue)
  return (event: TradeEvent, pair: PairFacts): boolean =>
    (ammJson === null || pair.ammJson === ammJson) && pushedValue(pair, event).usdE8 >= usdE8Min
}

function inAnyPair({ facts }: ChainMarket, matches: TradeSelection['matches']) {
  return {
    matches,
    tradesIn: ({ events }: RecentBlock) =>
      events.filter(
        (event): event is TradeEvent =>
          (event.type === 'swap' || event.type === 'liquidity') &&
          matches(event, facts.get(tradeDataOf(event).pairId)),
      ),
  }
}
