// The store reads of the gateway about wallets, from plain lists.
import { tradeOf } from '../../packages/server/src/gateway/rest/wallets/readPositions.ts'
import type { PairRecord } from '../../packages/server/src/model/pair.ts'
import {
  emptyPosition,
  type Position,
  positionAfterTrade,
} from '../../packages/server/src/model/position.ts'
import type { StoredSwap } from '../../packages/server/src/store/read/history.ts'
import type {
  PositionQuery,
  StoredPosition,
  TokenPositionsQuery,
  WalletSwapsQuery,
} from '../../packages/server/src/store/read/positions.ts'
import type {
  WalletVolume,
  WalletVolumesQuery,
} from '../../packages/server/src/store/read/smartWallets.ts'

export type PairOf = (pairId: number) => PairRecord

export function walletSwapsOf(
  swaps: readonly StoredSwap[],
  pairOf: PairOf,
  query: WalletSwapsQuery,
): StoredSwap[] {
  const { wallet, fromS, toS, tokenId, txHash, before, blockMax, limit } = query
  const isOfPair = ({ token0Id, token1Id, isTrusted }: PairRecord) =>
    (isTrusted || txHash !== null) &&
    (tokenId === null || token0Id === tokenId || token1Id === tokenId)
  return newestFirst(swaps)
    .filter(({ event: { swap } }) => swap.wallet === wallet && isOfPair(pairOf(swap.pairId)))
    .filter(({ event: { swap } }) => txHash === null || swap.txHash === txHash)
    .filter(({ timeS, blockNumber }) => timeS >= fromS && timeS <= toS && blockNumber <= blockMax)
    .filter((swap) => before === null || placeOrder(swap, before) < 0)
    .slice(0, limit)
}

function placeOrder(
  { timeS, blockNumber, event }: StoredSwap,
  place: { timeS: number; block: number; index: number },
): number {
  return timeS - place.timeS || blockNumber - place.block || event.swap.index - place.index
}

function newestFirst(swaps: readonly StoredSwap[]): StoredSwap[] {
  return [...swaps].sort((a, b) =>
    placeOrder(b, { timeS: a.timeS, block: a.blockNumber, index: a.event.swap.index }),
  )
}

/** Adds up a wallet's positions trade by trade. */
export function positionsOf(
  swaps: readonly StoredSwap[],
  pairOf: PairOf,
  { wallet, tokenId, quoteIds, blockMax, limit }: PositionQuery,
): StoredPosition[] {
  const positions = new Map<number, StoredPosition>()
  for (const swap of newestFirst(swaps).reverse()) {
    if (swap.event.swap.wallet !== wallet || swap.blockNumber > blockMax) continue
    const trade = tradeOf(pairOf(swap.event.swap.pairId), swap, quoteIds)
    if (trade === null || (tokenId !== null && trade.tokenId !== tokenId)) continue
    const before = positions.get(trade.tokenId) ?? emptyPosition
    positions.set(trade.tokenId, { ...positionAfterTrade(before, trade), tokenId: trade.tokenId })
  }
  const lastS = ({ lastBuyS, lastSellS }: StoredPosition) => Math.max(lastBuyS, lastSellS)
  return [...positions.values()]
    .sort((a, b) => lastS(b) - lastS(a) || a.tokenId - b.tokenId)
    .slice(0, limit)
}

/** Positions of one token by wallet. */
export function tokenPositionsOf(
  swaps: readonly StoredSwap[],
  pairOf: PairOf,
  { wallets, swapsMax, ...query }: TokenPositionsQuery,
): Map<string, Position> {
  const positions = new Map<string, Position>()
  for (const wallet of wallets) {
    const own = swaps.filter(
      ({ event, blockNumber }) => event.swap.wallet === wallet && blockNumber <= query.blockMax,
    )
    if (own.length > swapsMax) continue
    const [found] = positionsOf(own, pairOf, { ...query, wallet, limit: 1 })
    const { tokenId: _, ...position } = found ?? { tokenId: query.tokenId, ...emptyPosition }
    positions.set(wallet, position)
  }
  return positions
}

/** Adds up wallet volumes swap by swap. */
export function walletVolumesOf(
  swaps: readonly StoredSwap[],
  pairOf: PairOf,
  { wallets, quoteIds, fromS, swapsMax }: WalletVolumesQuery,
): WalletVolume[] {
  const volumes = new Map<string, WalletVolume>()
  for (const wallet of new Set(wallets)) {
    const own = newestFirst(swaps).filter(
      ({ event, timeS }) => event.swap.wallet === wallet && timeS >= fromS,
    )
    for (const swap of own.slice(0, swapsMax)) {
      const trade = tradeOf(pairOf(swap.event.swap.pairId), swap, quoteIds)
      if (trade === null) continue
      const { tokenId, isBuy, usdE8, timeS } = trade
      const none = { buyCount: 0, boughtUsdE8: 0n, soldUsdE8: 0n, lastBuyS: 0 }
      const volume = volumes.get(`${wallet} ${tokenId}`) ?? { wallet, tokenId, ...none }
      if (isBuy) {
        volume.buyCount += 1
        volume.boughtUsdE8 += usdE8
        volume.lastBuyS = Math.max(volume.lastBuyS, timeS)
      } else volume.soldUsdE8 += usdE8
      volumes.set(`${wallet} ${tokenId}`, volume)
    }
  }
  const sumOf = ({ boughtUsdE8, soldUsdE8 }: WalletVolume) => boughtUsdE8 + soldUsdE8
  return [...volumes.values()].sort(
    (a, b) =>
      Number(sumOf(b) - sumOf(a)) ||
      (a.wallet < b.wallet ? -1 : a.wallet > b.wallet ? 1 : 0) ||
      a.tokenId - b.tokenId,
  )
}
