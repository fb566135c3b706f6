import type { Pool } from 'pg'

export type Holder = { wallet: string; balance: bigint }
export type BalanceKey = { tokenId: number; wallet: string }

/** Balances in the order of the keys; 0 for a wallet that is not stored. */
export async function loadBalances(
  pool: Pool,
  chainId: number,
  keys: readonly BalanceKey[],
): Promise<bigint[]> {
  if (keys.length === 0) return []
  const { rows } = await pool.query<{ position: number; balance: string }>({
    name: 'load-balances',
    text: `SELECT k.position, b.balance
           FROM unnest($2::int[], $3::text[]) WITH ORDINALITY AS k(token_id, wallet, position)
           JOIN balances b ON b.chain = $1 AND b.token_id = k.token_id AND b.wallet = k.wallet`,
    values: [chainId, keys.map(({ tokenId }) => tokenId), keys.map(({ wallet }) => wallet)],
  })
  const balances = keys.map(() => 0n)
  for (const { position, balance } of rows) balances[position - 1] = BigInt(balance)
  return balances
}

type TopHolders = {
  holders: Holder[]
  /** Too few stood over the token's bar, so all its holders were looked at; the bar should move. */
  isBarTooHigh: boolean
}

/** Largest first, wallets of equal balance by name. */
export async function topHolders(
  pool: Pool,
  chainId: number,
  tokenId: number,
  limit: number,
): Promise<TopHolders> {
  const large = await pool.query<{ wallet: string; balance: string }>({
    name: 'top-holders',
    text: `SELECT wallet, balance FROM balances WHERE chain = $1 AND token_id = $2 AND is_large AND wallet NOT LIKE 'pool:%'
           ORDER BY balance DESC, wallet LIMIT $3`,
    values: [chainId, tokenId, limit],
  })
  if (large.rows.length >= limit) return { holders: holdersOf(large.rows), isBarTooHigh: false }
  const all = await pool.query<{ wallet: string; balance: string }>({
    name: 'top-holders-all',
    text: `SELECT wallet, balance FROM balances
           WHERE chain = $1 AND token_id = $2 AND balance > 0 AND wallet NOT LIKE 'pool:%'
           ORDER BY balance DESC, wallet LIMIT $3`,
    values: [chainId, tokenId, limit],
  })
  const isBarTooHigh = all.rows.length > large.rows.length
  return { holders: holdersOf(all.rows), isBarTooHigh }
}

function holdersOf(rows: readonly { wallet: string; balance: string }[]): Holder[] {
  return rows.map(({ wallet, balance }) => ({ wallet, balance: BigInt(balance) }))
}
