import type { BlockRef } from '../../packages/server/src/model/block.ts'
import type { BalanceChange } from '../../packages/server/src/model/finishedBlock.ts'
import { readEndedKlines } from '../../packages/server/src/model/klines/endedKlines.ts'
import type { Kline } from '../../packages/server/src/model/klines/kline.ts'
import type { MarketEvent, SwapEvent } from '../../packages/server/src/model/marketEvent.ts'
import type { ServedTrade } from '../oracle/compareTrades.ts'

type ClosedKline = { kline: Kline; closedBy: string }

/** Closed klines and balances, kept as in the store: reverting a block removes its rows. */
export type MemoryHistory = {
  keep(events: readonly MarketEvent[], ref: BlockRef): void
  applyBalances(changes: readonly BalanceChange[], to: 'before' | 'after'): void
  revert(ref: BlockRef, changes: readonly BalanceChange[]): void
  /** Klines, oldest first. */
  klinesOf(pairId: number, interval: number): Kline[]
  /** Trades in chain order. */
  tradesOf(pairId: number): ServedTrade[]
  holdersOf(tokenId: number): ReadonlyMap<string, bigint>
}

export function createMemoryHistory(): MemoryHistory {
  /** By pair and interval, then by start time. */
  const klines = new Map<string, Map<number, ClosedKline>>()
  const balances = new Map<number, Map<string, bigint>>()
  const trades = new Map<number, { trade: ServedTrade; hash: string }[]>()

  function applyBalances(changes: readonly BalanceChange[], to: 'before' | 'after'): void {
    for (const change of changes) {
      const holders = balances.get(change.tokenId) ?? new Map<string, bigint>()
      balances.set(change.tokenId, holders.set(change.wallet, change[to]))
    }
  }

  return {
    keep(events, ref) {
      for (const event of events) {
        if (event.type === 'swap') {
          const { pairId } = event.swap
          const kept = { trade: servedTradeOf(event, ref), hash: ref.hash }
          trades.set(pairId, [...(trades.get(pairId) ?? []), kept])
        }
        if (event.type !== 'endedKlines') continue
        for (const { pairId, interval, kline } of readEndedKlines(event)) {
          const key = `${pairId} ${interval}`
          const closed = klines.get(key) ?? new Map<number, ClosedKline>()
          if (closed.has(kline.startS))
            throw new Error(`Kline ${kline.startS} of pair ${pairId} at ${interval} closed twice.`)
          klines.set(key, closed.set(kline.startS, { kline, closedBy: ref.hash }))
        }
      }
    },
    applyBalances,
    revert(ref, changes) {
      applyBalances(changes, 'before')
      for (const closed of klines.values())
        for (const [startS, { closedBy }] of closed)
          if (closedBy === ref.hash) closed.delete(startS)
      for (const [pairId, kept] of trades)
        trades.set(
          pairId,
          kept.filter(({ hash }) => hash !== ref.hash),
        )
    },
    klinesOf(pairId, interval) {
      const closed = klines.get(`${pairId} ${interval}`)?.values() ?? []
      return [...closed].map(({ kline }) => kline).toSorted((a, b) => a.startS - b.startS)
    },
    tradesOf: (pairId) => (trades.get(pairId) ?? []).map(({ trade }) => trade),
    holdersOf: (tokenId) => balances.get(tokenId) ?? new Map(),
  }
}

function servedTradeOf({ swap, isBuy, ...event }: SwapEvent, { number }: BlockRef): ServedTrade {
  const { txHash, wallet, amount0, amount1, reserve0, reserve1, priceRaw } = swap
  const { holding0, holding1 } = swap
  return {
    blockNumber: number,
    logIndex: swap.index,
    txHash,
    wallet,
    isBuy,
    amount0,
    amount1,
    reserve0,
    reserve1,
    priceRaw,
    holding0,
    holding1,
    usdE8: BigInt(event.amountUsdE8),
    nativeRaw: event.amountNativeRaw,
  }
}
