import type { Pool } from 'pg'
import { emptyPosition, type Position } from '../../model/position.ts'
import { isWalletSql, type StoredSwap, type SwapRow, storedSwapOf } from './history.ts'

export type WalletSwapsQuery = {
  chainId: number
  wallet: string
  /** First second, inclusive. */
  fromS: number
  /** Last second, inclusive. */
  toS: number
  /** Only swaps of pairs with this token. */
  tokenId: number | null
  txHash: string | null
  /** Only swaps before this place; null starts with the newest. */
  before: { timeS: number; block: number; index: number } | null
  /** Excludes later blocks. */
  blockMax: number
  limit: number
}

/**
 * The newest swaps of a wallet in trusted pools, newest first; of a single transaction those in all
 * pools.
 */
export async function loadWalletSwaps(pool: Pool, query: WalletSwapsQuery): Promise<StoredSwap[]> {
  const { chainId, wallet, fromS, toS, tokenId, txHash, before, blockMax, limit } = query
  const place = before ?? { timeS: Number.MAX_SAFE_INTEGER, block: 0, index: 0 }
  const { rows } = await pool.query<SwapRow>({
    name: 'load-wallet-swaps',
    text: `SELECT s.* FROM swaps s
           WHERE s.chain = $1 AND ${isWalletSql('$2')} AND s.time_s >= $3 AND s.time_s <= $4
             AND (s.time_s, s.block, s.idx) < ($5, $6, $7) AND s.block <= $8
             AND ($9::text IS NULL OR s.tx_hash = $9)
             AND EXISTS (SELECT FROM pairs p WHERE p.chain = s.chain AND p.id = s.pair_id
               AND ($9::text IS NOT NULL OR p.is_trusted)
               AND ($10::int IS NULL OR $10 IN (p.token0_id, p.token1_id)))
           ORDER BY s.time_s DESC, s.block DESC, s.idx DESC LIMIT $11`,
    values: [
      ...[chainId, wallet, fromS, toS, place.timeS, place.block, place.index],
      ...[blockMax, txHash, tokenId, limit],
    ],
  })
  return rows.map(storedSwapOf)
}

/** Time of the oldest kept swap; null if none exists. */
export async function loadHistoryStart(pool: Pool, chainId: number): Promise<number | null> {
  const { rows } = await pool.query<{ time_s: number }>({
    name: 'load-history-start',
    text: 'SELECT time_s FROM swaps WHERE chain = $1 ORDER BY chain, block, idx LIMIT 1',
    values: [chainId],
  })
  return rows[0]?.time_s ?? null
}

/**
 * Swaps as buys and sales of the target token: its side leaves the pool in a buy and enters it in a
 * sale. Swaps whose sides do not oppose each other are neither, and those of untrusted pools are
 * not counted: any contract can report them. Trades against anything but the tokens `quoteIds` (a
 * parameter) have no value here: the creator of two worthless tokens could price them against each
 * other.
 */
export function walletTradesSql(where: string, quoteIds: string, from = 'swaps'): string {
  return `SELECT s.wallet, s.is_buy, s.time_s, s.block, s.idx,
      CASE WHEN p.token0_id = ANY(${quoteIds}::int[]) OR p.token1_id = ANY(${quoteIds}::int[])
        THEN s.amount_usd_e8 ELSE 0 END AS usd,
      CASE WHEN s.is_buy = (s.amount0 < 0) THEN p.token0_id ELSE p.token1_id END AS token_id,
      abs(CASE WHEN s.is_buy = (s.amount0 < 0) THEN s.amount0 ELSE s.amount1 END) AS amount
    FROM ${from} s JOIN pairs p ON p.chain = s.chain AND p.id = s.pair_id
    WHERE p.is_trusted AND sign(s.amount0) * sign(s.amount1) < 0 AND ${where}`
}

/** Columns of a swap that `walletTradesSql` reads. */
export const tradeColumnsSql =
  's.chain, s.wallet, s.is_buy, s.amount_usd_e8, s.time_s, s.block, s.idx, s.amount0, s.amount1, s.pair_id'

export type PositionQuery = {
  chainId: number
  wallet: string
  /** Null for every token. */
  tokenId: number | null
  /** Tokens in which trades are valued. */
  quoteIds: readonly number[]
  /** Excludes later blocks. */
  blockMax: number
  /** Maximum number of positions, the last traded first. */
  limit: number
}

export type StoredPosition = Position & { tokenId: number }

export type TokenPositionsQuery = {
  chainId: number
  tokenId: number
  wallets: readonly string[]
  /** Tokens in which trades are valued. */
  quoteIds: readonly number[]
  /** Excludes later blocks. */
  blockMax: number
  /** Excludes wallets with more swaps over all tokens. */
  swapsMax: number
}

type PositionRow = {
  buy_count: number
  sell_count: number
  bought: string
  sold: string
  bought_usd: string
  sold_usd: string
  max_buy_usd: string
  max_sell_usd: string
  first_buy_s: number
  last_buy_s: number
  first_sell_s: number
  last_sell_s: number
  position: string[]
}

/** Of trades. */
const positionSql = `
        count(*) FILTER (WHERE is_buy) AS buy_count,
        count(*) FILTER (WHERE NOT is_buy) AS sell_count,
        coalesce(sum(amount) FILTER (WHERE is_buy), 0) AS bought,
        coalesce(sum(amount) FILTER (WHERE NOT is_buy), 0) AS sold,
        coalesce(sum(usd) FILTER (WHERE is_buy), 0) AS bought_usd,
        coalesce(sum(usd) FILTER (WHERE NOT is_buy), 0) AS sold_usd,
        coalesce(max(usd) FILTER (WHERE is_buy), 0) AS max_buy_usd,
        coalesce(max(usd) FILTER (WHERE NOT is_buy), 0) AS max_sell_usd,
        coalesce(min(time_s) FILTER (WHERE is_buy), 0) AS first_buy_s,
        coalesce(max(time_s) FILTER (WHERE is_buy), 0) AS last_buy_s,
        coalesce(min(time_s) FILTER (WHERE NOT is_buy), 0) AS first_sell_s,
        coalesce(max(time_s) FILTER (WHERE NOT is_buy), 0) AS last_sell_s,
        position_fold(is_buy, amount, usd ORDER BY time_s, block, idx)::text[] AS position`

/** A wallet's buys and sales, from the kept swaps. */
export async function loadPositions(pool: Pool, query: PositionQuery): Promise<StoredPosition[]> {
  const { chainId, wallet, tokenId, quoteIds, blockMax, limit } = query
  const { rows } = await pool.query<PositionRow & { token_id: number }>({
    name: 'load-positions',
    text: `SELECT token_id, ${positionSql}
      FROM (${walletTradesSql(`s.chain = $1 AND ${isWalletSql('$2')} AND s.block <= $3`, '$6')}) t
      WHERE $4::int IS NULL OR token_id = $4
      GROUP BY token_id ORDER BY max(time_s) DESC, token_id LIMIT $5`,
    values: [chainId, wallet, blockMax, tokenId, limit, quoteIds],
  })
  return rows.map((row) => ({ ...positionOf(row), tokenId: row.token_id }))
}

/** Buys and sales of one token by some wallets, by wallet. */
export async function loadTokenPositions(
  pool: Pool,
  query: TokenPositionsQuery,
): Promise<Map<string, Position>> {
  const { chainId, tokenId, wallets, quoteIds, blockMax, swapsMax } = query
  const positions = new Map(wallets.map((wallet) => [wallet, emptyPosition as Position]))
  if (wallets.length === 0) return positions
  type Row = { wallet: string; kept_count: number } & (PositionRow | { buy_count: null })
  const { rows } = await pool.query<Row>({
    name: 'load-token-positions',
    text: `WITH kept AS MATERIALIZED (
        SELECT k.* FROM unnest($2::text[]) AS w(wallet)
        CROSS JOIN LATERAL (SELECT ${tradeColumnsSql} FROM swaps s
          WHERE s.chain = $1 AND ${isWalletSql('w.wallet')} AND s.block <= $3 LIMIT $5 + 1) k)
      SELECT k.wallet, k.kept_count, p.*
      FROM (SELECT wallet, count(*) AS kept_count FROM kept GROUP BY wallet) k
      LEFT JOIN (SELECT wallet AS trader, ${positionSql}
        FROM (${walletTradesSql('true', '$6', 'kept')}) t WHERE token_id = $4 GROUP BY wallet) p
        ON p.trader = k.wallet`,
    // Each once: a repeated wallet would count its trades twice.
    values: [chainId, [...positions.keys()], blockMax, tokenId, swapsMax, quoteIds],
  })
  for (const row of rows) {
    if (row.kept_count > swapsMax) positions.delete(row.wallet)
    else if (row.buy_count !== null) positions.set(row.wallet, positionOf(row))
  }
  return positions
}

function positionOf(row: PositionRow): Position {
  const [heldRaw, costUsdE8, profitUsdE8, soldCostUsdE8, uncoveredRaw] = row.position.map(BigInt)
  return {
    buyCount: row.buy_count,
    sellCount: row.sell_count,
    boughtRaw: BigInt(row.bought),
    soldRaw: BigInt(row.sold),
    boughtUsdE8: BigInt(row.bought_usd),
    soldUsdE8: BigInt(row.sold_usd),
    maxBuyUsdE8: BigInt(row.max_buy_usd),
    maxSellUsdE8: BigInt(row.max_sell_usd),
    firstBuyS: row.first_buy_s,
    lastBuyS: row.last_buy_s,
    firstSellS: row.first_sell_s,
    lastSellS: row.last_sell_s,
    heldRaw: heldRaw!,
    costUsdE8: costUsdE8!,
    profitUsdE8: profitUsdE8!,
    soldCostUsdE8: soldCostUsdE8!,
    uncoveredRaw: uncoveredRaw!,
  }
}
