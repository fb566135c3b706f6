import { BoundedMap } from '../../../lib/boundedMap.ts'
import type { PairRecord } from '../../../model/pair.ts'
import {
  emptyPosition,
  type Position,
  type PositionTrade,
  positionAfterTrade,
} from '../../../model/position.ts'
import type { StoredSwap } from '../../../store/read/history.ts'
import type { GatewayChain } from '../../chain/gatewayChain.ts'
import { recentSwaps } from '../../chain/recentRows.ts'
import { readConsistent, type StoreReads } from '../../chain/storeReads.ts'

// Maximum number of positions per wallet. Only bots trade more tokens; for these, the most recently
// traded are returned.
const positionsMax = 2_000

export type TokenPosition = Position & { tokenId: number }

/** Returns a wallet's positions, most recently traded first: all of them, or only one token's. */
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
  return readConsistent(
    chain,
    (blockMax) => store.loadPositions({ ...query, blockMax }),
    (stored, blocks) => {
      // After a reorg, the token's id may belong to another token, whose positions must not be
      // returned.
      if (token !== null && chain.reads.findToken(token) !== tokenId) return []
      const isWhole = stored.length < positionsMax
      const positions = new Map(stored.map((position) => [position.tokenId, position]))
      for (const swap of recentSwaps(blocks, (event) => event.swap.wallet === wallet)) {
        const trade = tradeOf(chain.reads.pairRecord(swap.event.swap.pairId), swap, quoteIds)
        if (trade === null || (tokenId !== null && trade.tokenId !== tokenId)) continue
        const before = positions.get(trade.tokenId)
        // The trade is skipped: without the earlier position it would look like the wallet's first.
        if (before === undefined && !isWhole) continue
        const after = positionAfterTrade(before ?? emptyPosition, trade)
        positions.delete(trade.tokenId)
        positions.set(trade.tokenId, { ...after, tokenId: trade.tokenId })
      }
      return [...positions.values()].sort((a, b) => lastTradeS(b) - lastTradeS(a))
    },
  )
}

// Wallets with more swaps of a token are bots. Summing their swaps would take longer than the rest
// of the answer.
const holderSwapsMax = 2_000

/**
 * Returns the positions of several wallets in one token. Wallets with unknown positions are absent.
 */
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
  return readConsistent(
    chain,
    (blockMax) => store.loadTokenPositions({ ...query, blockMax }),
    (positions, blocks) => {
      // After a reorg, the token's id may belong to another token, whose positions must not be
      // returned.
      if (chain.reads.findToken(token) !== tokenId) return new Map()
      for (const swap of recentSwaps(blocks, (event) => positions.has(event.swap.wallet))) {
        const { wallet, pairId } = swap.event.swap
        const trade = tradeOf(chain.reads.pairRecord(pairId), swap, quoteIds)
        if (trade?.tokenId === tokenId)
          positions.set(wallet, positionAfterTrade(positions.get(wallet)!, trade))
      }
      return positions
    },
  )
}

/**
 * Returns the ids of the chain's quote tokens, which trades are valued in. Configured tokens not
 * yet seen on the chain have no id and are skipped.
 */
export function quoteIdsOf({ reads, profile }: Pick<GatewayChain, 'reads' | 'profile'>): number[] {
  return profile.quotes.flatMap((address) => reads.findToken(address) ?? [])
}

/**
 * Returns the purchase or sale of the target token in a swap; null when the swap does not count.
 * Same rules as `walletTradesSql` in the store, which explains them.
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

export type PositionsByWallet = ReadonlyMap<string, Position>

export type TokenPositionCache = {
  /** Returns the positions of a token's holders. Holders with unknown positions are absent. */
  read(chain: GatewayChain, token: string, wallets: readonly string[]): Promise<PositionsByWallet>
}

type Cached = { version: number; wallets: readonly string[]; positions: Promise<PositionsByWallet> }

// Maximum number of tokens with cached holder positions. Each list has up to a hundred positions of
// about 1 kB.
const tokensMax = 64

/**
 * Creates a cache of holders' positions, valid until the market changes: clients request the same
 * token's holders many times between two blocks.
 */
export function createTokenPositionCache(store: StoreReads): TokenPositionCache {
  const cached = new BoundedMap<string, Cached>(tokensMax)
  return {
    read(chain, token, wallets) {
      const key = `${token}-${chain.profile.name}`
      const version = chain.version()
      const known = cached.use(key)
      if (known?.version === version && isSame(known.wallets, wallets)) return known.positions
      const positions = readTokenPositions(store, chain, token, wallets)
      const made = { version, wallets, positions }
      cached.set(key, made)
      // A failed read is not cached: callers of this read get the error, and the next caller
      // retries.
      positions.catch(() => {
        if (cached.get(key) === made) cached.delete(key)
      })
      return positions
    },
  }
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((wallet, at) => wallet === b[at])
}
