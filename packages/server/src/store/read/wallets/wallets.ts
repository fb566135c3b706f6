import type { Pool } from 'pg'
import { isWalletSql, type StoredSwap, type SwapRow, storedSwapOf } from '../history.ts'

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
