import type { Pool } from 'pg'

/** A key as it is stored: its hash only, never itself. */
export type KeyRecord = {
  id: number
  /** SHA-256 of the key. */
  hash: Uint8Array
  name: string
  plan: string
  createdAtS: number
  /** Null: never. */
  expiresAtS: number | null
  revokedAtS: number | null
}

export type NewKey = Pick<KeyRecord, 'hash' | 'name' | 'plan' | 'createdAtS' | 'expiresAtS'>

const keyColumns = `id, hash, name, plan, created_at_s AS "createdAtS", expires_at_s AS "expiresAtS",
  revoked_at_s AS "revokedAtS"`

/** The same hash again gives back the key that is there, with the new plan and expiry, and no longer revoked. */
export async function insertKey(pool: Pool, key: NewKey): Promise<KeyRecord> {
  const { hash, name, plan, createdAtS, expiresAtS } = key
  const { rows } = await pool.query<KeyRecord>(
    `INSERT INTO keys (hash, name, plan, created_at_s, expires_at_s) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (hash) DO UPDATE SET plan = excluded.plan, expires_at_s = excluded.expires_at_s,
       revoked_at_s = NULL
     RETURNING ${keyColumns}`,
    [Buffer.from(hash), name, plan, createdAtS, expiresAtS],
  )
  return rows[0]!
}

export async function findKeyByHash(pool: Pool, hash: Uint8Array): Promise<KeyRecord | null> {
  const { rows } = await pool.query<KeyRecord>({
    name: 'find-key',
    text: `SELECT ${keyColumns} FROM keys WHERE hash = $1`,
    values: [Buffer.from(hash)],
  })
  return rows[0] ?? null
}

export async function listKeys(pool: Pool): Promise<KeyRecord[]> {
  const { rows } = await pool.query<KeyRecord>(`SELECT ${keyColumns} FROM keys ORDER BY id`)
  return rows
}

/** False: there is no such key, or it was revoked before. */
export async function revokeKey(pool: Pool, id: number, atS: number): Promise<boolean> {
  const { rowCount } = await pool.query(
    'UPDATE keys SET revoked_at_s = $2 WHERE id = $1 AND revoked_at_s IS NULL',
    [id, atS],
  )
  return rowCount === 1
}

export type Usage = { keyId: number; day: number; requestCount: number; cost: number }

/** Adds to what is stored. */
export async function addUsage(pool: Pool, usages: readonly Usage[]): Promise<void> {
  if (usages.length === 0) return
  await pool.query({
    name: 'add-usage',
    text: `INSERT INTO usage (key_id, day, request_count, cost)
           SELECT key_id, day, sum(requests), sum(cost)
           FROM unnest($1::int[], $2::int[], $3::bigint[], $4::bigint[]) AS u(key_id, day, requests, cost)
           GROUP BY key_id, day
           ON CONFLICT (key_id, day) DO UPDATE SET
             request_count = usage.request_count + excluded.request_count,
             cost = usage.cost + excluded.cost`,
    values: [
      usages.map(({ keyId }) => keyId),
      usages.map(({ day }) => day),
      usages.map(({ requestCount }) => requestCount),
      usages.map(({ cost }) => cost),
    ],
  })
}

/** One key's days, oldest first, both ends inclusive. */
export async function loadUsage(
  pool: Pool,
  { keyId, fromDay, toDay }: { keyId: number; fromDay: number; toDay: number },
): Promise<Usage[]> {
  const { rows } = await pool.query<Usage>({
    name: 'load-usage',
    text: `SELECT key_id AS "keyId", day, request_count AS "requestCount", cost FROM usage
           WHERE key_id = $1 AND day BETWEEN $2 AND $3 ORDER BY day`,
    values: [keyId, fromDay, toDay],
  })
  return rows
}
