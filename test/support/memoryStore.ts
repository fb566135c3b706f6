// The store reads of the gateway, from plain lists.

import type { StoreReads } from '../../packages/server/src/gateway/chain/storeReads.ts'
import { type BlockRef, blockTimeOf } from '../../packages/server/src/model/block.ts'
import {
  type EndedKline,
  readEndedKlines,
} from '../../packages/server/src/model/klines/endedKlines.ts'
import type { Kline } from '../../packages/server/src/model/klines/kline.ts'
import type { MarketEvent } from '../../packages/server/src/model/marketEvent.ts'
import type { PairRecord } from '../../packages/server/src/model/pair.ts'
import type {
  HistoryQuery,
  StoredLiquidity,
  StoredSwap,
} from '../../packages/server/src/store/read/history.ts'
import type { SmartWallets } from '../../packages/server/src/store/read/smartWallets.ts'
import { positionsOf, tokenPositionsOf, walletSwapsOf, walletVolumesOf } from './memoryWallets.ts'

const anyBlock = Number.MAX_SAFE_INTEGER

type Of<row> = { chainId: number; block: number; row: row }

export type MemoryStore = StoreReads & {
  setBalance(chainId: number, tokenId: number, wallet: string, balance: bigint): void
  add(chainId: number, ref: BlockRef, events: readonly MarketEvent[]): void
  dropBlock(chainId: number, block: number): void
  setSmartWallets(chainId: number, ranking: SmartWallets): void
}

export function createMemoryStore(): MemoryStore {
  const balances = new Map<string, Map<string, bigint>>()
  let swaps: Of<StoredSwap>[] = []
  let liquidity: Of<StoredLiquidity>[] = []
  let klines: Of<EndedKline>[] = []

  const pairs = new Map<string, PairRecord>()
  const rankings = new Map<number, SmartWallets>()
  const pairsOf = (chainId: number) => (pairId: number) => pairs.get(`${chainId} ${pairId}`)!
  const swapsOf = (chainId: number) =>
    swaps.filter((swap) => swap.chainId === chainId).map(({ row }) => row)

  const balancesOf = (chainId: number, tokenId: number) => {
    const key = `${chainId} ${tokenId}`
    const known = balances.get(key) ?? new Map<string, bigint>()
    balances.set(key, known)
    return known
  }

  return {
    setBalance: (chainId, tokenId, wallet, balance) =>
      void balancesOf(chainId, tokenId).set(wallet, balance),
    add(chainId, ref, events) {
      const block = ref.number
      const at = { blockNumber: block, ...blockTimeOf(ref) }
      for (const event of events) {
        if (event.type === 'pair') pairs.set(`${chainId} ${event.pair.id}`, event.pair)
        if (event.type === 'swap') swaps.push({ chainId, block, row: { ...at, event } })
        if (event.type === 'liquidity') liquidity.push({ chainId, block, row: { ...at, event } })
        if (event.type === 'endedKlines')
          for (const row of readEndedKlines(event)) klines.push({ chainId, block, row })
      }
    },
    dropBlock(chainId, block) {
      const stays = (row: Of<unknown>) => row.chainId !== chainId || row.block !== block
      swaps = swaps.filter(stays)
      liquidity = liquidity.filter(stays)
      klines = klines.filter(stays)
    },
    topHolders: async (chainId, tokenId, limit) => ({
      holders: largestFirst(balancesOf(chainId, tokenId)).slice(0, limit),
      number: 0,
    }),
    loadBalances: async (chainId, keys) =>
      keys.map(({ tokenId, wallet }) => balancesOf(chainId, tokenId).get(wallet) ?? 0n),
    setSmartWallets: (chainId, ranking) => void rankings.set(chainId, ranking),
    loadSmartWallets: async (chainId) => rankings.get(chainId) ?? null,
    loadHistoryStart: async (chainId) => swapsOf(chainId)[0]?.timeS ?? null,
    loadWalletSwaps: async (query) =>
      walletSwapsOf(swapsOf(query.chainId), pairsOf(query.chainId), query),
    loadPositions: async (query) =>
      positionsOf(swapsOf(query.chainId), pairsOf(query.chainId), query),
    loadTokenPositions: async (query) =>
      tokenPositionsOf(swapsOf(query.chainId), pairsOf(query.chainId), query),
    loadWalletVolumes: async (query) =>
      walletVolumesOf(swapsOf(query.chainId), pairsOf(query.chainId), query),
    loadSwaps: async (query) => rowsOf(swaps, query, ({ event }) => event.swap),
    loadLiquidity: async ({ kinds, ...query }) =>
      rowsOf(
        liquidity.filter(
          ({ row }) => kinds === undefined || kinds.includes(row.event.liquidity.kind),
        ),
        query,
        ({ event }) => event.liquidity,
      ),
    loadKlines: async ({ chainId, pairId, interval, fromS, toS, limit, blockMax = anyBlock }) => {
      const newest = new Map<number, Kline>()
      for (const { chainId: of, block, row } of klines) {
        const { startS } = row.kline
        if (block > blockMax) continue
        if (of !== chainId || row.pairId !== pairId || row.interval !== interval) continue
        if (startS >= fromS && startS <= toS) newest.set(startS, row.kline)
      }
      return [...newest.values()].sort((a, b) => a.startS - b.startS).slice(-limit)
    },
  }
}

function largestFirst(balances: ReadonlyMap<string, bigint>) {
  return [...balances]
    .map(([wallet, balance]) => ({ wallet, balance }))
    .filter(({ balance }) => balance > 0n)
    .sort(
      (a, b) =>
        Number(b.balance - a.balance > 0n) - Number(a.balance - b.balance > 0n) ||
        (a.wallet < b.wallet ? -1 : 1),
    )
}

function rowsOf<row extends { blockNumber: number; timeS: number }>(
  rows: readonly Of<row>[],
  { chainId, pairId, fromS, toS, limit, order, blockMax = anyBlock }: HistoryQuery,
  subjectOf: (row: row) => { pairId: number; index: number },
): row[] {
  const sign = order === 'asc' ? 1 : -1
  return rows
    .filter(({ chainId: of, row }) => of === chainId && subjectOf(row).pairId === pairId)
    .map(({ row }) => row)
    .filter(({ timeS, blockNumber }) => timeS >= fromS && timeS <= toS && blockNumber <= blockMax)
    .sort(
      (a, b) =>
        sign *
        (a.timeS - b.timeS ||
          a.blockNumber - b.blockNumber ||
          subjectOf(a).index - subjectOf(b).index),
    )
    .slice(0, limit)
}
