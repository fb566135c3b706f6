import type { Pool } from 'pg'
import { emptyPosition, type Position } from '../../../model/position.ts'
import { isWalletSql } from '../history.ts'
import { tradeColumnsSql, walletTradesSql } from './wallets.ts'

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
