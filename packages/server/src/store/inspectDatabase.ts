import type { Client } from 'pg'
import { listLocked } from './advisoryLock.ts'
import {
  checkServer,
  clientConfigOf,
  connectMsMax,
  describeConnection,
  type StoreConnection,
} from './connection.ts'
import { databaseFault } from './errors.ts'
import { migrations, readVersion } from './schema.ts'
import { StoreClient } from './storeClient.ts'

/** Facts about a database that an operator checks before relying on it. */
export type DatabaseFacts = {
  version: string
  /** Found is 0 without a schema. */
  schema: { found: number; known: number }
  sizeBytes: number
  /** Chains that somebody holds the lock of. */
  writers: number
  /** Statements waiting for a lock of any kind. */
  waitingLocks: number
  oldestTransactionS: number
  /** Open connections of all users of the server. */
  connections: { used: number; max: number }
  /** True if it follows another server. */
  isReplica: boolean
  canCreate: boolean
  /** Server clock minus local clock. */
  clockAheadMs: number
}

type FactsRow = {
  version: string
  size_bytes: number
  waiting_locks: number
  oldest_transaction_s: number
  used: number
  max: number
  is_replica: boolean
  can_create: boolean
}

/** Reads only. */
export async function inspectDatabase(
  connection: StoreConnection,
  nowMs: () => number,
): Promise<DatabaseFacts> {
  const client = new StoreClient({
    ...clientConfigOf(connection, 'chaintape doctor'),
    query_timeout: connectMsMax,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await checkServer(client)
    const found = await readVersion(client)
    const { rows } = await client.query<FactsRow>(`
      SELECT current_setting('server_version') AS version,
        pg_database_size(current_database()) AS size_bytes,
        (SELECT count(*) FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock') AS waiting_locks,
        (SELECT coalesce(max(extract(epoch FROM clock_timestamp() - xact_start)), 0)::int FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()) AS oldest_transaction_s,
        (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
        current_setting('max_connections')::int AS max,
        pg_is_in_recovery() AS is_replica,
        coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS can_create`)
    const row = rows[0]!
    return {
      version: row.version,
      schema: { found, known: migrations.length },
      sizeBytes: row.size_bytes,
      writers: (await listLocked(client, 'writer')).length,
      waitingLocks: row.waiting_locks,
      oldestTransactionS: row.oldest_transaction_s,
      connections: { used: row.used, max: row.max },
      isReplica: row.is_replica,
      canCreate: row.can_create,
      clockAheadMs: await clockAheadMs(client, nowMs),
    }
  } catch (error) {
    throw databaseFault(error, describeConnection(connection))
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Compares with the middle of the query's duration. */
async function clockAheadMs(client: Client, nowMs: () => number): Promise<number> {
  const askedMs = nowMs()
  const { rows } = await client.query<{ ms: number }>(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms',
  )
  return rows[0]!.ms - (askedMs + nowMs()) / 2
}
