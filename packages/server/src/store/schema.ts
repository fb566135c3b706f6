import assert from 'node:assert/strict'
import type { Client, ClientBase } from 'pg'
import type { Logger } from '../lib/logger.ts'
import { lockTransaction } from './advisoryLock.ts'
import {
  checkServer,
  clientConfigOf,
  describeConnection,
  type StoreConnection,
} from './connection.ts'
import {
  databaseFault,
  SchemaOldError,
  SchemaTooNewError,
  SchemaUnreleasedError,
} from './errors.ts'
import { m001Schema } from './migrations/m001Schema.ts'
import { StoreClient } from './storeClient.ts'

/** One step of the schema. A released step is never changed: a correction is another step. */
export type Migration = { version: number; name: string; sql: string }

/** In order, forward only. */
export const migrations: readonly Migration[] = [m001Schema]

type MigrateOptions = {
  logger: Logger
  /** @default the newest */
  toVersion?: number
  /** @default those of this version; a test passes those of a later one. */
  steps?: readonly Migration[]
}

/**
 * Migrates the schema to `toVersion`, all steps in one transaction. Processes that start together
 * take turns.
 */
export async function migrate(client: ClientBase, options: MigrateOptions): Promise<void> {
  await client.query('BEGIN')
  try {
    await migrateInTransaction(client, options)
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  }
}

/** The same inside a transaction of the caller. */
export async function migrateInTransaction(
  client: ClientBase,
  { logger, steps = migrations, toVersion = steps.length }: MigrateOptions,
): Promise<void> {
  assert(toVersion <= steps.length)
  await lockTransaction(client, 'migration', 0)
  const version = await readVersion(client)
  if (version > steps.length) throw new SchemaTooNewError({ found: version, known: steps.length })
  if (version === 0) await client.query(versionsSql)
  for (const migration of steps.slice(version, toVersion)) {
    await client.query(migration.sql)
    await client.query('INSERT INTO schema_versions (version, name) VALUES ($1, $2)', [
      migration.version,
      migration.name,
    ])
  }
  if (toVersion > version)
    logger.info({ msg: 'Migrated the store', fromVersion: version, version: toVersion })
}

const versionsSql = `
  CREATE TABLE IF NOT EXISTS schema_versions (
    version integer PRIMARY KEY,
    name text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
  )`

/**
 * Returns the schema's version, 0 for none, and changes nothing. Before 1.0.0 the versions were in
 * a table `migrations`, with the same numbers for other schemas: these are refused.
 */
export async function readVersion(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ isVersioned: boolean; isUnreleased: boolean }>(
    `SELECT to_regclass('schema_versions') IS NOT NULL AS "isVersioned",
       to_regclass('migrations') IS NOT NULL AND to_regclass('cursors') IS NOT NULL AS "isUnreleased"`,
  )
  const { isVersioned, isUnreleased } = rows[0]!
  if (!isVersioned && isUnreleased) throw new SchemaUnreleasedError()
  if (!isVersioned) return 0
  const found = await client.query<{ version: number }>(
    'SELECT coalesce(max(version), 0) AS version FROM schema_versions',
  )
  return found.rows[0]!.version
}

/** The stored schema version and the one this program needs. */
export async function readSchema(
  connection: StoreConnection,
  steps: readonly Migration[] = migrations,
): Promise<{ found: number; known: number }> {
  return { found: await withSchemaClient(connection, readVersion), known: steps.length }
}

/** Migrates the schema. */
export async function prepareSchema(connection: StoreConnection, logger: Logger): Promise<void> {
  await withSchemaClient(connection, (client) => migrate(client, { logger }))
}

/**
 * For commands that run beside a service: only creates a schema in an empty database. Another
 * version is left to the service.
 */
export async function prepareEmptySchema(
  connection: StoreConnection,
  logger: Logger,
  steps?: readonly Migration[],
): Promise<void> {
  const { found, known } = await readSchema(connection, steps)
  if (found === 0) await prepareSchema(connection, logger)
  else if (found < known) throw new SchemaOldError({ found, known })
  else if (found > known) throw new SchemaTooNewError({ found, known })
}

async function withSchemaClient<result>(
  connection: StoreConnection,
  run: (client: Client) => Promise<result>,
): Promise<result> {
  const client = new StoreClient(clientConfigOf(connection, 'chaintape migration'))
  client.on('error', () => undefined)
  try {
    await client.connect()
    await checkServer(client)
    return await run(client)
  } catch (error) {
    throw databaseFault(error, describeConnection(connection))
  } finally {
    await client.end().catch(() => undefined)
  }
}
