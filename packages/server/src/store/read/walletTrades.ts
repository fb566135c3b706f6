/**
 * Swaps as purchases and sales of the target token: its side went out of the pool in a buy, and into it in a sale.
 * A swap whose sides do not run against each other is neither.
 */
export function walletTradesSql(where: string, from = 'swaps'): string {
  return `SELECT s.wallet, s.is_buy, s.amount_usd_e8 AS usd, s.time_s, s.block, s.idx,
      CASE WHEN s.is_buy = (s.amount0 < 0) THEN p.token0_id ELSE p.token1_id END AS token_id,
      abs(CASE WHEN s.is_buy = (s.amount0 < 0) THEN s.amount0 ELSE s.amount1 END) AS amount
    FROM ${from} s JOIN pairs p ON p.chain = s.chain AND p.id = s.pair_id
    WHERE sign(s.amount0) * sign(s.amount1) < 0 AND ${where}`
}

/** Finds the wallet by its index. */
export const isWalletSql = (parameter: string): string =>
  `hashtextextended(s.wallet, 0) = hashtextextended(${parameter}, 0) AND s.wallet = ${parameter}`

/** What `walletTradesSql` reads of a swap. */
export const tradeColumnsSql =
  's.chain, s.wallet, s.is_buy, s.amount_usd_e8, s.time_s, s.block, s.idx, s.amount0, s.amount1, s.pair_id'
