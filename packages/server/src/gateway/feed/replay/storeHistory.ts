import type { Store } from '../../../store/openStore.ts'
import type { FeedHistory } from './feedHistory.ts'

// Later than every stored time.
const anyTimeS = Number.MAX_SAFE_INTEGER

type HistoryStore = Pick<
  Store,
  | 'findLogBlocks'
  | 'loadLogBlocks'
  | 'loadReverted'
  | 'loadTrades'
  | 'loadNews'
  | 'loadKlines'
  | 'topHolders'
>

/** Reads history for replays from PostgreSQL, which identifies a chain by a number. */
export function createStoreHistory(store: HistoryStore): FeedHistory {
  return {
    async findBlocks({ storeId }, numbers) {
      const refs = await store.findLogBlocks(storeId, numbers)
      return new Map(refs.map((ref) => [ref.number, ref]))
    },
    loadBlocksUpTo: ({ storeId }, toNumber, limit) =>
      store.loadLogBlocks(storeId, { after: -1, toNumber, limit }),
    loadReverted: ({ storeId }, toNumber, limit) => store.loadReverted(storeId, toNumber, limit),
    loadTrades: ({ storeId: chainId }, { kind, ...query }) =>
      store.loadTrades({ chainId, table: kind === 'swap' ? 'swaps' : 'liquidity', ...query }),
    loadNews: ({ storeId: chainId }, { from: { number, timeS }, ...query }) =>
      store.loadNews({ chainId, from: { number, timeS }, ...query }),
    loadTopHolders: async ({ storeId }, tokenId, limit) =>
      (await store.topHolders(storeId, tokenId, limit)).holders,
    loadKlines: ({ storeId: chainId }, query) =>
      store.loadKlines({ chainId, ...query, toS: anyTimeS }),
  }
}
