import { Pool } from 'pg'
import type { Logger } from '../../lib/logger.ts'
import { clientConfigOf, type StoreConnection } from '../connection.ts'
import { logLostConnections } from '../lostConnections.ts'
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
} from './keys.ts'
import { type SeedKeyOptions, seedKey } from './seededKeys.ts'
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
