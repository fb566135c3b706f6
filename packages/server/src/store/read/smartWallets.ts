import type { Pool } from 'pg'
import { inTransaction } from '../connection.ts'
import { isWalletSql } from './history.ts'
import { tradeColumnsSql, walletTradesSql } from './positions.ts'

export type WalletVolumesQuery = {
  chainId: number
  wallets: readonly string[]
  /** Tokens in which trades are valued. */
  quoteIds: readonly number[]
  /** Trades from this time on count. */
  fromS: number
  /** Newest swaps that count, for each wallet. */
  swapsMax: number
}

/** A wallet's trades of one token. */
export type WalletVolume = {
  wallet: string
  tokenId: number
  buyCount: number
  boughtUsdE8: bigint
  soldUsdE8: bigint
  /** 0 if it only sold. */
  lastBuyS: number
}

type VolumeRow = Omit<WalletVolume, 'boughtUsdE8' | 'soldUsdE8'> &
  Record<'boughtUsdE8' | 'soldUsdE8', string>

/** Trades of some wallets since a time, by wallet and token, the largest volume first. */
export async function loadWalletVolumes(
  pool: Pool,
  query: WalletVolumesQuery,
): Promise<WalletVolume[]> {
  const { chainId, wallets, quoteIds, fromS, swapsMax } = query
  if (wallets.length === 0) return []
  const { rows } = await pool.query<VolumeRow>({
    name: 'load-wallet-volumes',
    text: `WITH kept AS MATERIALIZED (
        SELECT k.* FROM unnest($2::text[]) AS w(wallet)
        CROSS JOIN LATERAL (SELECT ${tradeColumnsSql} FROM swaps s
          WHERE s.chain = $1 AND ${isWalletSql('w.wallet')} AND s.time_s >= $3
          ORDER BY s.time_s DESC, s.block DESC, s.idx DESC LIMIT $4) k)
      SELECT wallet, token_id AS "tokenId",
        count(*) FILTER (WHERE is_buy)::int AS "buyCount",
        coalesce(sum(usd) FILTER (WHERE is_buy), 0)::text AS "boughtUsdE8",
        coalesce(sum(usd) FILTER (WHERE NOT is_buy), 0)::text AS "soldUsdE8",
        coalesce(max(time_s) FILTER (WHERE is_buy), 0) AS "lastBuyS"
      FROM (${walletTradesSql('true', '$5', 'kept')}) t
      GROUP BY wallet, token_id ORDER BY sum(usd) DESC, wallet, token_id`,
    // Each once: a repeated wallet would count its trades twice.
    values: [chainId, [...new Set(wallets)], fromS, swapsMax, quoteIds],
  })
  return rows.map((row) => ({
    ...row,
    boughtUsdE8: BigInt(row.boughtUsdE8),
    soldUsdE8: BigInt(row.soldUsdE8),
  }))
}

/**
 * Profit of a token in percent of its cost: lower bounds of the groups that wallets are counted in.
 */
const profitGroups = [-100, -50, -10, 10, 100, 300, 500, 900] as const

export type SmartWallet = {
  wallet: string
  buyCount: number
  sellCount: number
  boughtUsdE8: bigint
  soldUsdE8: bigint
  profitUsdE8: bigint
  soldCostUsdE8: bigint
  tokenCount: number
  wonCount: number
  /** Number of tokens in each of `profitGroups`. */
  profitCounts: readonly number[]
  lastTradeS: number
}

export type SmartWallets = { sinceS: number; madeAtS: number; wallets: SmartWallet[] }

export type SmartWalletsRun = {
  chainId: number
  /** Tokens in which trades are valued. */
  quoteIds: readonly number[]
  /** Trades from this time on count. */
  sinceS: number
  madeAtS: number
  countMax: number
  /** The server aborts a longer run. */
  timeMsMax: number
}

/** Ranks all wallets by profit and stores the best. */
export function refreshSmartWallets(pool: Pool, run: SmartWalletsRun): Promise<void> {
  const { chainId, quoteIds, sinceS, madeAtS, countMax, timeMsMax } = run
  return inTransaction(pool, async (client) => {
    await client.query(`SET LOCAL statement_timeout = ${Math.floor(timeMsMax)}`)
    await client.query('DELETE FROM smart_wallets WHERE chain = $1', [chainId])
    await client.query(
      `INSERT INTO smart_wallets
       SELECT $1, wallet, sum(buy_count), sum(sell_count), sum(bought), sum(sold), sum(p[3]), sum(p[4]),
         count(*) FILTER (WHERE p[4] > 0), count(*) FILTER (WHERE p[3] > 0),
         ARRAY[${profitCountsSql()}], max(last_trade_s)
       FROM (
         SELECT wallet, token_id,
           count(*) FILTER (WHERE is_buy) AS buy_count,
           count(*) FILTER (WHERE NOT is_buy) AS sell_count,
           coalesce(sum(usd) FILTER (WHERE is_buy), 0) AS bought,
           coalesce(sum(usd) FILTER (WHERE NOT is_buy), 0) AS sold,
           max(time_s) AS last_trade_s,
           position_fold(is_buy, amount, usd ORDER BY time_s, block, idx) AS p
         FROM (${walletTradesSql('s.chain = $1 AND s.time_s >= $2', '$4')}) t
         GROUP BY wallet, token_id
       ) positions
       GROUP BY wallet HAVING sum(p[3]) > 0
       ORDER BY sum(p[3]) DESC, wallet LIMIT $3`,
      [chainId, sinceS, countMax, quoteIds],
    )
    await client.query(
      `INSERT INTO smart_wallet_runs (chain, since_s, made_at_s) VALUES ($1, $2, $3)
       ON CONFLICT (chain) DO UPDATE SET since_s = excluded.since_s, made_at_s = excluded.made_at_s`,
      [chainId, sinceS, madeAtS],
    )
  })
}

/** Without division: profit / cost in percent is at least `low` if profit * 100 >= low * cost. */
function profitCountsSql(): string {
  return profitGroups
    .map((low, position) => {
      const high = profitGroups[position + 1]
      const under = high === undefined ? '' : ` AND p[3] * 100 < ${high} * p[4]`
      return `count(*) FILTER (WHERE p[4] > 0 AND p[3] * 100 >= ${low} * p[4]${under})::int`
    })
    .join(', ')
}

type SmartWalletRow = Omit<
  SmartWallet,
  'boughtUsdE8' | 'soldUsdE8' | 'profitUsdE8' | 'soldCostUsdE8'
> &
  Record<'boughtUsdE8' | 'soldUsdE8' | 'profitUsdE8' | 'soldCostUsdE8', string>

/** The newest ranking, best first; null before the first run. */
export async function loadSmartWallets(pool: Pool, chainId: number): Promise<SmartWallets | null> {
  const { rows: runs } = await pool.query<{ sinceS: number; madeAtS: number }>({
    name: 'load-smart-wallet-run',
    text: `SELECT since_s AS "sinceS", made_at_s AS "madeAtS" FROM smart_wallet_runs WHERE chain = $1`,
    values: [chainId],
  })
  if (runs[0] === undefined) return null
  const { rows } = await pool.query<SmartWalletRow>({
    name: 'load-smart-wallets',
    text: `SELECT wallet, buy_count AS "buyCount", sell_count AS "sellCount",
             bought_usd_e8 AS "boughtUsdE8", sold_usd_e8 AS "soldUsdE8",
             profit_usd_e8 AS "profitUsdE8", sold_cost_usd_e8 AS "soldCostUsdE8",
             token_count AS "tokenCount", won_count AS "wonCount",
             profit_counts AS "profitCounts", last_trade_s AS "lastTradeS"
           FROM smart_wallets WHERE chain = $1 ORDER BY profit_usd_e8 DESC, wallet`,
    values: [chainId],
  })
  const wallets = rows.map((row) => ({
    ...row,
    boughtUsdE8: BigInt(row.boughtUsdE8),
    soldUsdE8: BigInt(row.soldUsdE8),
    profitUsdE8: BigInt(row.profitUsdE8),
    soldCostUsdE8: BigInt(row.soldCostUsdE8),
  }))
  return { ...runs[0], wallets }
}
