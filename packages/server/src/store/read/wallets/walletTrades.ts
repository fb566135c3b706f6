/**
 * Swaps as purchases and sales of the target token: its side went out of the pool in a buy, and into it in a sale.
 * A swap whose sides do not run against each other is neither, and one of an untrusted pool is not counted: any contract
 * can say that it was traded. What changed hands for something else than one of the tokens `quoteIds` (a parameter) has
 * no value here: two tokens that nobody wants would be worth to each other whatever their maker likes.
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

/** Finds the wallet by its index. */
export const isWalletSql = (parameter: string): string =>
  `hashtextextended(s.wallet, 0) = hashtextextended(${parameter}, 0) AND s.wallet = ${parameter}`

/** What `walletTradesSql` reads of a swap. */
export const tradeColumnsSql =
  's.chain, s.wallet, s.is_buy, s.amount_usd_e8, s.time_s, s.block, s.idx, s.amount0, s.amount1, s.pair_id'
