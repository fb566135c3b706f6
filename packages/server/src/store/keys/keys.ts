import type { ClientBase, Pool } from 'pg'

/** Origin of a key: made by an operator, from the configuration, or made at a start of the demo. */
type KeyOrigin = 'created' | 'configured' | 'start'

/** A stored key: its hash, never the key itself. */
export type KeyRecord = {
  id: number
  /** Keys rotated from one another share an account. */
  accountId: number
  /** SHA-256 of the key. */
  hash: Uint8Array
  name: string
  plan: string
  origin: KeyOrigin
  createdAtS: number
  /** Null if it never expires. */
  expiresAtS: number | null
  revokedAtS: number | null
}

export type NewKey = Pick<KeyRecord, 'hash' | 'name' | 'plan' | 'createdAtS' | 'expiresAtS'> & {
  /** @default 'created' */
  origin?: KeyOrigin
}

/** A key, with the credits its account used in the given period. */
export type KeyWithUsage = KeyRecord & { creditsUsed: number }

const keyColumns = `keys.id, keys.account_id AS "accountId", keys.hash, keys.name, keys.plan, keys.origin,
  keys.created_at_s AS "createdAtS", keys.expires_at_s AS "expiresAtS", keys.revoked_at_s AS "revokedAtS"`

export const workingKeySql = (nowS: '$2') =>
  `revoked_at_s IS NULL AND (expires_at_s IS NULL OR expires_at_s > ${nowS}::bigint)`
const isWorking = workingKeySql('$2')

// The id of an account is that of its first key.
const insertSql = `
  INSERT INTO keys (id, account_id, hash, name, plan, origin, created_at_s, expires_at_s)
  OVERRIDING SYSTEM VALUE
  SELECT next.id, next.id, $1::bytea, $2::text, $3::text, $4::text, $5::bigint, $6::bigint
    FROM nextval(pg_get_serial_sequence('keys', 'id')) AS next(id)
  ON CONFLICT (hash) DO UPDATE SET plan = excluded.plan, expires_at_s = excluded.expires_at_s,
    revoked_at_s = NULL
  RETURNING ${keyColumns}`

/** An existing hash returns the stored key, with the new plan and expiry, and no longer revoked. */
export async function insertKey(pool: Pool | ClientBase, key: NewKey): Promise<KeyRecord> {
  const { hash, name, plan, origin = 'created', createdAtS, expiresAtS } = key
  const values = [Buffer.from(hash), name, plan, origin, createdAtS, expiresAtS]
  const { rows } = await pool.query<KeyRecord>(insertSql, values)
  return rows[0]!
}

/** Returns the existing ones, in any order. */
export async function findKeysByHash(
  pool: Pool,
  { hashes, period }: { hashes: readonly Uint8Array[]; period: number },
): Promise<KeyWithUsage[]> {
  const { rows } = await pool.query<KeyWithUsage>({
    name: 'find-keys',
    text: `SELECT ${keyColumns}, coalesce(credits.cost, 0) AS "creditsUsed"
           FROM unnest($1::bytea[]) AS asked(hash) JOIN keys ON keys.hash = asked.hash
           LEFT JOIN credits ON credits.account_id = keys.account_id AND credits.period = $2`,
    values: [hashes.map((hash) => Buffer.from(hash)), period],
  })
  return rows
}

/** Returns the existing ones, in any order. */
export async function findKeysById(pool: Pool, ids: readonly number[]): Promise<KeyRecord[]> {
  const { rows } = await pool.query<KeyRecord>({
    name: 'find-keys-by-id',
    text: `SELECT ${keyColumns} FROM keys WHERE id = ANY($1::int[])`,
    values: [ids],
  })
  return rows
}

export async function listKeys(pool: Pool): Promise<KeyRecord[]> {
  const { rows } = await pool.query<KeyRecord>(`SELECT ${keyColumns} FROM keys ORDER BY id`)
  return rows
}

/** False if the key does not exist or was already revoked. */
export async function revokeKey(pool: Pool, id: number, atS: number): Promise<boolean> {
  const { rowCount } = await pool.query(
    'UPDATE keys SET revoked_at_s = $2 WHERE id = $1 AND revoked_at_s IS NULL',
    [id, atS],
  )
  return rowCount === 1
}

/** Null if no key with this id works at `nowS`. */
export async function expireKey(
  pool: Pool,
  { id, nowS, atS }: { id: number; nowS: number; atS: number },
): Promise<KeyRecord | null> {
  const { rows } = await pool.query<KeyRecord>(
    `UPDATE keys SET expires_at_s = $3 WHERE id = $1 AND ${isWorking} RETURNING ${keyColumns}`,
    [id, nowS, atS],
  )
  return rows[0] ?? null
}

export type Rotation = { id: number; hash: Uint8Array; nowS: number; graceS: number }

/**
 * Creates a key with the same account, plan, name and expiry. The old one expires after the grace
 * period, or at its own expiry if that is earlier. Null if no key with this id works.
 */
export async function rotateKey(
  pool: Pool,
  { id, hash, nowS, graceS }: Rotation,
): Promise<KeyRecord | null> {
  const { rows } = await pool.query<KeyRecord>(
    `WITH found AS (SELECT * FROM keys WHERE id = $1 AND ${isWorking} FOR UPDATE),
     ended AS (
       UPDATE keys SET expires_at_s = least(found.expires_at_s, $2::bigint + $4::bigint)
       FROM found WHERE keys.id = found.id
     )
     INSERT INTO keys (account_id, hash, name, plan, created_at_s, expires_at_s)
     SELECT account_id, $3::bytea, name, plan, $2::bigint, expires_at_s FROM found
     RETURNING ${keyColumns}`,
    [id, nowS, Buffer.from(hash), graceS],
  )
  return rows[0] ?? null
}
