import { type ClientBase, Pool } from 'pg'
import type { Logger } from '../../lib/logger.ts'
import { lockTransaction } from '../advisoryLock.ts'
import {
  clientConfigOf,
  inTransaction,
  logLostConnections,
  type StoreConnection,
} from '../connection.ts'
import { StoreClient } from '../storeClient.ts'
import {
  expireKey,
  findKeysByHash,
  findKeysById,
  insertKey,
  listKeys,
  type NewKey,
  type Rotation,
  revokeKey,
  rotateKey,
  workingKeySql,
} from './keys.ts'
import {
  acquireSocket,
  addUsage,
  dropUsageSessions,
  loadCredits,
  loadUsage,
  type SocketQuery,
  sumUsage,
  type UsageBatch,
  type UsageQuery,
} from './usage.ts'
import { type KeyWatch, type KeyWatchOptions, watchKeys } from './watchKeys.ts'

// One for lookups, one for usage, one for the rest.
const connectionsMax = 3
const answerMsMax = 5_000

/**
 * Keys and their usage, on connections of their own: heavy reads must not delay requests and their
 * accounting.
 */
export function openKeyStore(connection: StoreConnection, logger: Logger) {
  const pool = new Pool({
    ...clientConfigOf(connection, 'chaintape keys'),
    Client: StoreClient,
    max: connectionsMax,
    query_timeout: answerMsMax,
    connectionTimeoutMillis: answerMsMax,
  })
  logLostConnections(pool, logger)
  const watches = new Set<KeyWatch>()

  function openWatch(options: KeyWatchOptions): KeyWatch {
    const watch = watchKeys(connection, logger, options)
    watches.add(watch)
    return watch
  }

  return {
    insertKey: (key: NewKey) => insertKey(pool, key),
    seedKey: (seeding: SeedKeyOptions) => seedKey(pool, seeding),
    findKeysByHash: (query: { hashes: readonly Uint8Array[]; period: number }) =>
      findKeysByHash(pool, query),
    findKeysById: (ids: readonly number[]) => findKeysById(pool, ids),
    listKeys: () => listKeys(pool),
    revokeKey: (id: number, atS: number) => revokeKey(pool, id, atS),
    expireKey: (query: { id: number; nowS: number; atS: number }) => expireKey(pool, query),
    rotateKey: (rotation: Rotation) => rotateKey(pool, rotation),
    addUsage: (batch: UsageBatch) => addUsage(pool, batch),
    dropUsageSessions: (unusedS: number) => dropUsageSessions(pool, unusedS),
    takeSocket: (query: SocketQuery) => acquireSocket(pool, query),
    loadCredits: (query: { accountIds: readonly number[]; period: number }) =>
      loadCredits(pool, query),
    loadUsage: (query: UsageQuery) => loadUsage(pool, query),
    sumUsage: (query: { fromDay: number; toDay: number }) => sumUsage(pool, query),
    watchKeys: openWatch,
    async close() {
      await Promise.all([...watches].map((watch) => watch.close()))
      await pool.end()
    },
  }
}

/** The key that a starting service seeds, and the rules for those of earlier starts. */
type SeedKeyOptions = {
  /**
   * The chains this service writes. Keys seeded for them belong to it: no other service can write
   * them.
   */
  chains: readonly string[]
  /** Null if it seeds none. */
  key: { hash: Uint8Array; origin: 'configured' | 'start' } | null
  nowS: number
  /** Time for which earlier start keys keep working. */
  startKeyGraceS: number
  /** Maximum number of working start keys, the new one included; the oldest are revoked. */
  startKeysMax: number
}

// Condition on keys that are not of another service in the same database: no service of other
// chains seeded the key. `$1`: the chains of this service. A key without chains belongs to every
// service.
const isOwn = `NOT EXISTS (
  SELECT FROM key_seeds WHERE key_seeds.key_id = keys.id AND NOT (key_seeds.chains && $1::text[]))`

/**
 * Seeds a key for a service and revokes its earlier configured keys. Start keys of earlier starts
 * are limited by a new start key, revoked without a key, and kept beside a configured key. Returns
 * the last expiry of earlier start keys; null if no start key was seeded or none of them works.
 */
export function seedKey(pool: Pool, seeding: SeedKeyOptions): Promise<number | null> {
  const { chains, key, nowS } = seeding
  return inTransaction(pool, async (client) => {
    // Services that start at the same time take turns.
    await lockTransaction(client, 'migration', 0)
    if (key !== null) await insertSeed(client, chains, key, nowS)
    await revokeOwn(client, { ...seeding, origin: 'configured' })
    if (key === null) await revokeOwn(client, { ...seeding, origin: 'start' })
    return key?.origin === 'start' ? await limitStartKeys(client, seeding, key.hash) : null
  })
}

async function insertSeed(
  client: ClientBase,
  chains: readonly string[],
  { hash, origin }: NonNullable<SeedKeyOptions['key']>,
  nowS: number,
): Promise<void> {
  const key = { hash, name: origin, plan: 'unlimited', origin, createdAtS: nowS, expiresAtS: null }
  const { id } = await insertKey(client, key)
  await client.query('DELETE FROM key_seeds WHERE key_id = $2 AND chains && $1::text[]', [
    chains,
    id,
  ])
  await client.query('INSERT INTO key_seeds (key_id, chains) VALUES ($2, $1)', [chains, id])
}

/** Revokes all but the new key. A key shared with another service now belongs to that one only. */
async function revokeOwn(
  client: ClientBase,
  { chains, key, nowS, origin }: SeedKeyOptions & { origin: 'configured' | 'start' },
): Promise<void> {
  const hash = key === null ? null : Buffer.from(key.hash)
  await client.query(
    `UPDATE keys SET revoked_at_s = $4 WHERE origin = $2 AND revoked_at_s IS NULL
       AND hash IS DISTINCT FROM $3::bytea AND ${isOwn}`,
    [chains, origin, hash, nowS],
  )
  await client.query(
    `DELETE FROM key_seeds USING keys WHERE keys.id = key_id AND origin = $2
       AND hash IS DISTINCT FROM $3::bytea AND chains && $1::text[]`,
    [chains, origin, hash],
  )
}

// Deletes ended keys with their usage, to keep the list short. Rotated keys stay: others share
// their account.
const dropEndedSql = `
  WITH ended AS (
    SELECT id FROM keys WHERE origin = 'start' AND NOT (${workingKeySql('$2')}) AND ${isOwn}
      AND NOT EXISTS (SELECT FROM keys other WHERE other.account_id = keys.account_id AND other.id <> keys.id)
  ), dropped AS (DELETE FROM usage USING ended WHERE key_id = ended.id)
  DELETE FROM keys USING ended WHERE keys.id = ended.id`

const limitSql = `
  WITH earlier AS (
    SELECT id, row_number() OVER (ORDER BY id DESC) AS place FROM keys
    WHERE origin = 'start' AND hash <> $3 AND ${workingKeySql('$2')} AND ${isOwn}
  ), limited AS (
    UPDATE keys SET expires_at_s = least(expires_at_s, $2::bigint + $4::bigint),
      revoked_at_s = CASE WHEN place >= $5 THEN $2::bigint END
    FROM earlier WHERE keys.id = earlier.id RETURNING expires_at_s, revoked_at_s
  )
  SELECT max(expires_at_s) AS "untilS" FROM limited WHERE ${workingKeySql('$2')}`

async function limitStartKeys(
  client: ClientBase,
  { chains, nowS, startKeyGraceS, startKeysMax }: SeedKeyOptions,
  hash: Uint8Array,
): Promise<number | null> {
  await client.query(dropEndedSql, [chains, nowS])
  const values = [chains, nowS, Buffer.from(hash), startKeyGraceS, startKeysMax]
  const { rows } = await client.query<{ untilS: number | null }>(limitSql, values)
  return rows[0]!.untilS
}
