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

/** The largest holders of a token, and the block they are valid after. */
export type TopHolders = { holders: Holder[]; number: number }

type FoundHolders = TopHolders & {
  /**
   * Too few were above the token's threshold, so all its holders were read; the threshold should
   * move.
   */
  isBarTooHigh: boolean
}

type HolderRow = { number: number; wallet: string | null; balance: string | null }

/**
 * Largest first, wallets of equal balance by name. One statement reads both holders and block, so
 * they match.
 */
export async function topHolders(
  pool: Pool,
  chainId: number,
  tokenId: number,
  limit: number,
): Promise<FoundHolders> {
  const values = [chainId, tokenId, limit]
  const query = (name: string, which: string) => ({ name, text: largestWhere(which), values })
  const large = foundOf((await pool.query<HolderRow>(query('top-holders', 'is_large'))).rows)
  if (large.holders.length >= limit) return { ...large, isBarTooHigh: false }
  const all = foundOf((await pool.query<HolderRow>(query('top-holders-all', 'balance > 0'))).rows)
  return { ...all, isBarTooHigh: all.holders.length > large.holders.length }
}

function largestWhere(which: string): string {
  return `SELECT c.number, b.wallet, b.balance
          FROM cursors c LEFT JOIN LATERAL (
            SELECT wallet, balance FROM balances
            WHERE chain = $1 AND token_id = $2 AND ${which} AND wallet NOT LIKE 'pool:%'
            ORDER BY balance DESC, wallet LIMIT $3
          ) b ON true
          WHERE c.chain = $1 ORDER BY b.balance DESC, b.wallet`
}

/** A token without holders has one row with only the block. */
function foundOf(rows: readonly HolderRow[]): TopHolders {
  const holders: Holder[] = []
  for (const { wallet, balance } of rows)
    if (wallet !== null && balance !== null) holders.push({ wallet, balance: BigInt(balance) })
  return { holders, number: rows[0]?.number ?? -1 }
}
