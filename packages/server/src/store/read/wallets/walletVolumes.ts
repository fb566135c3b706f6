import type { Pool } from 'pg'
import { isWalletSql } from '../history.ts'
import { tradeColumnsSql, walletTradesSql } from './wallets.ts'

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
