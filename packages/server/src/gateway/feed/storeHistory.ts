import type { Store } from '../../store/openStore.ts'
import { endIndex } from './cursor.ts'
import type { FeedHistory } from './feedHistory.ts'
import { originOf, type TradeEvent } from './recentBlock.ts'

// More than any chain's blocks that can be taken back hold.
const recentTradesMax = 1_000_000
// Every time is below it.
const anyTimeS = Number.MAX_SAFE_INTEGER

export type HistoryStore = Pick<
  Store,
  'readLogTail' | 'findLogBlocks' | 'loadTrades' | 'loadKlines'
>

/** The past from the store. A chain is known there by its number. */
export function createStoreHistory(store: HistoryStore): FeedHistory {
  return {
    async loadRecent({ storeId: chainId }, count) {
      const blocks = await store.readLogTail(chainId, count)
      const first = blocks[0]?.ref
      if (first === undefined) return []
      const query = {
        ...{ chainId, pairIds: null, limit: recentTradesMax, order: 'asc' as const },
        after: { number: first.number - 1, index: endIndex, timeS: first.timeS },
        toNumber: blocks.at(-1)!.ref.number,
      }
      const trades = [
        ...(await store.loadTrades({ ...query, table: 'swaps' })),
        ...(await store.loadTrades({ ...query, table: 'liquidity' })),
      ]
      const byNumber = new Map<number, TradeEvent[]>(blocks.map(({ ref }) => [ref.number, []]))
      for (const { blockNumber, event } of trades) byNumber.get(blockNumber)?.push(event)
      return blocks.map(({ ref }) => ({ ref, events: inOrder(byNumber.get(ref.number) ?? []) }))
    },
    async findBlocks({ storeId }, numbers) {
      const refs = await store.findLogBlocks(storeId, numbers)
      return new Map(refs.map((ref) => [ref.number, ref]))
    },
    loadTrades: ({ storeId: chainId }, { kind, ...query }) =>
      store.loadTrades({ chainId, table: kind === 'swap' ? 'swaps' : 'liquidity', ...query }),
    loadKlines: ({ storeId: chainId }, query) =>
      store.loadKlines({ chainId, ...query, toS: anyTimeS }),
  }
}

function inOrder(trades: TradeEvent[]): TradeEvent[] {
  return trades.sort((a, b) => originOf(a).index - originOf(b).index)
}
