import type { PairRecord } from '../../model/pair.ts'
import {
  emptyPosition,
  type Position,
  type PositionTrade,
  withTrade,
} from '../../model/position.ts'
import type { StoredSwap } from '../../store/read/history.ts'
import type { GatewayChain } from '../gatewayChain.ts'
import { recentSwaps } from '../history/newestRows.ts'
import type { StoreReads } from '../history/storeReads.ts'
import { readSettled } from '../recent/readSettled.ts'

// More tokens than this are traded by bots only; the last traded are the ones that matter.
const positionsMax = 2_000

export type TokenPosition = Position & { tokenId: number }

/** What a wallet bought and sold of one token, or of all of them; the last traded first. */
export function readPositions(
  store: StoreReads,
  chain: GatewayChain,
  wallet: string,
  token: string | null,
): Promise<TokenPosition[]> {
  const tokenId = token === null ? null : chain.reads.findToken(token)
  if (tokenId === undefined) return Promise.resolve([])
  const quoteIds = quoteIdsOf(chain)
  const query = { chainId: chain.storeId, wallet, tokenId, quoteIds, limit: positionsMax }
  return readSettled(
    chain,
    (blockMax) => store.loadPositions({ ...query, blockMax }),
    (stored, blocks) => {
      // A reorg may have given the token's number to another.
      if (token !== null && chain.reads.findToken(token) !== tokenId) return []
      const isWhole = stored.length < positionsMax
      const positions = new Map(stored.map((position) => [position.tokenId, position]))
      for (const swap of recentSwaps(blocks, (event) => event.swap.wallet === wallet)) {
        const trade = tradeOf(chain.reads.pairRecord(swap.event.swap.pairId), swap, quoteIds)
        if (trade === null || (tokenId !== null && trade.tokenId !== tokenId)) continue
        const before = positions.get(trade.tokenId)
        // Without the position before it a trade would look like the first.
        if (before === undefined && !isWhole) continue
        const after = withTrade(before ?? emptyPosition, trade)
        positions.delete(trade.tokenId)
        positions.set(trade.tokenId, { ...after, tokenId: trade.tokenId })
      }
      return [...positions.values()].sort((a, b) => lastTradeS(b) - lastTradeS(a))
    },
  )
}

// Whoever has more than this is a bot, whose positions would take longer than the rest of an answer.
const holderSwapsMax = 2_000

/** What each of some wallets bought and sold of a token; a wallet of which it is not known is not in it. */
export function readTokenPositions(
  store: StoreReads,
  chain: GatewayChain,
  token: string,
  wallets: readonly string[],
): Promise<Map<string, Position>> {
  const tokenId = chain.reads.findToken(token)
  if (tokenId === undefined) return Promise.resolve(new Map())
  const quoteIds = quoteIdsOf(chain)
  const query = { chainId: chain.storeId, tokenId, wallets, quoteIds, swapsMax: holderSwapsMax }
  return readSettled(
    chain,
    (blockMax) => store.loadTokenPositions({ ...query, blockMax }),
    (positions, blocks) => {
      // A reorg may have given the token's number to another.
      if (chain.reads.findToken(token) !== tokenId) return new Map()
      for (const swap of recentSwaps(blocks, (event) => positions.has(event.swap.wallet))) {
        const { wallet, pairId } = swap.event.swap
        const trade = tradeOf(chain.reads.pairRecord(pairId), swap, quoteIds)
        if (trade?.tokenId === tokenId)
          positions.set(wallet, withTrade(positions.get(wallet)!, trade))
      }
      return positions
    },
  )
}

/** Tokens that trades are valued in: the quote assets of the chain which are known by now. */
export function quoteIdsOf({ reads, profile }: Pick<GatewayChain, 'reads' | 'profile'>): number[] {
  return profile.quotes.flatMap((address) => reads.findToken(address) ?? [])
}

/**
 * The purchase or sale of the target token that a swap is; null when it does not count. `walletTradesSql` of the store says
 * why and when, in SQL.
 */
export function tradeOf(
  { token0Id, token1Id, isTrusted }: Pick<PairRecord, 'token0Id' | 'token1Id' | 'isTrusted'>,
  { timeS, event }: StoredSwap,
  quoteIds: readonly number[],
): (PositionTrade & { tokenId: number }) | null {
  const { amount0, amount1 } = event.swap
  const { isBuy } = event
  if (!isTrusted) return null
  if (amount0 === 0n || amount1 === 0n || amount0 < 0n === amount1 < 0n) return null
  const isTarget0 = isBuy === amount0 < 0n
  const amount = isTarget0 ? amount0 : amount1
  const isValued = quoteIds.includes(token0Id) || quoteIds.includes(token1Id)
  return {
    tokenId: isTarget0 ? token0Id : token1Id,
    isBuy,
    amountRaw: amount < 0n ? -amount : amount,
    usdE8: isValued ? BigInt(event.amountUsdE8) : 0n,
    timeS,
  }
}

export function lastTradeS({ lastBuyS, lastSellS }: Position): number {
  return Math.max(lastBuyS, lastSellS)
}
