import type { Client } from 'pg'
import type { Logger } from '../lib/logger.ts'
import {
  checkServer,
  clientConfigOf,
  describeConnection,
  type StoreConnection,
} from './connection.ts'
import { databaseFault } from './databaseFault.ts'
import { SchemaOldError, SchemaTooNewError } from './errors.ts'
import { type Migration, migrate, migrations, readVersion } from './migrate.ts'
import { StoreClient } from './storeClient.ts'

/** What the schema is, and what this version needs it to be. */
export async function readSchema(
  connection: StoreConnection,
  steps: readonly Migration[] = migrations,
): Promise<{ found: number; known: number }> {
  return { found: await withSchemaClient(connection, readVersion), known: steps.length }
}

/** Brings the schema up to date. */
export async function prepareSchema(connection: StoreConnection, logger: Logger): Promise<void> {
  await withSchemaClient(connection, (client) => migrate(client, { logger }))
}

/**
 * For whoever comes by while a service may be running: only an empty database gets a schema, one of another version is
 * left to those who write it.
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
