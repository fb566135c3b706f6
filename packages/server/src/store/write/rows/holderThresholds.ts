import type { Client } from 'pg'

// Readers ask for the top 100. A token's number of large holders is brought back to `target`
// whenever it leaves the range, so that hundreds of wallets must cross the threshold before it
// moves again.
const largeTarget = 400
const largeMin = 150
const largeMax = 1_000
const updatesPerCheck = 256
// Losing the counts only delays a check.
const tokensCountedMax = 200_000

/** Moves each token's threshold so that a few hundred holders are above it. */
type HolderBars = {
  noteUpdate(tokenId: number): void
  /** A reader found too few large holders and had to scan all of them. */
  request(tokenId: number): void
  hasWork(): boolean
  /** Checks tokens whose holders changed often since the last check. */
  adjust(client: Client): Promise<void>
}

export function createHolderThresholds(chainId: number): HolderBars {
  const updates = new Map<number, number>()
  /** Updates until the next check; more for a token with many equal balances. */
  const patience = new Map<number, number>()
  const due = new Set<number>()

  return {
    noteUpdate(tokenId) {
      if (updates.size > tokensCountedMax) updates.clear()
      const count = (updates.get(tokenId) ?? 0) + 1
      updates.set(tokenId, count)
      if (count >= (patience.get(tokenId) ?? updatesPerCheck)) due.add(tokenId)
    },
    request(tokenId) {
      due.add(tokenId)
    },
    hasWork: () => due.size > 0,
    async adjust(client) {
      for (const tokenId of [...due]) {
        const large = await adjustBar(client, chainId, tokenId)
        patience.delete(tokenId)
        if (large > largeMax) patience.set(tokenId, large)
        updates.delete(tokenId)
        due.delete(tokenId)
      }
    },
  }
}

/** Returns the number of large holders afterwards. */
async function adjustBar(client: Client, chainId: number, tokenId: number): Promise<number> {
  const key = [chainId, tokenId]
  const counted = await client.query<{ large: string; bar: string }>(
    `SELECT count(*) AS large,
       coalesce((SELECT bar FROM holder_bars WHERE chain = $1 AND token_id = $2), 0) AS bar
     FROM balances WHERE chain = $1 AND token_id = $2 AND is_large`,
    key,
  )
  const large = Number(counted.rows[0]!.large)
  const isRaise = large > largeMax
  if (!isRaise && (large >= largeMin || counted.rows[0]!.bar === '0')) return large
  const scope = isRaise ? 'AND is_large' : ''
  // If many equal balances share the target rank, none of them is included, provided enough are
  // above.
  const found = await client.query<{ bar: string | null; above: string }>(
    `WITH ranked AS (
       SELECT balance FROM balances WHERE chain = $1 AND token_id = $2 ${scope}
       ORDER BY balance DESC LIMIT ${largeTarget}
     )
     SELECT CASE WHEN count(*) < ${largeTarget} THEN NULL ELSE min(balance) END AS bar,
       count(*) FILTER (WHERE balance > (SELECT min(balance) FROM ranked)) AS above
     FROM ranked`,
    key,
  )
  const { bar: rank, above } = found.rows[0]!
  const bar = rank === null ? 0n : BigInt(rank) + (Number(above) >= largeMin ? 1n : 0n)
  await moveBar(client, [chainId, tokenId, bar.toString()], isRaise)
  const { rows } = await client.query<{ large: string }>(
    'SELECT count(*) AS large FROM balances WHERE chain = $1 AND token_id = $2 AND is_large',
    key,
  )
  return Number(rows[0]!.large)
}

async function moveBar(
  client: Client,
  values: readonly [number, number, string],
  isRaise: boolean,
): Promise<void> {
  const crossed = isRaise ? 'is_large AND balance < $3' : 'NOT is_large AND balance >= $3'
  await client.query('BEGIN')
  await client.query(
    `INSERT INTO holder_bars (chain, token_id, bar) VALUES ($1, $2, $3)
     ON CONFLICT (chain, token_id) DO UPDATE SET bar = excluded.bar`,
    [...values],
  )
  await client.query(
    `UPDATE balances SET is_large = NOT is_large WHERE chain = $1 AND token_id = $2 AND ${crossed}`,
    [...values],
  )
  await client.query('COMMIT')
}
