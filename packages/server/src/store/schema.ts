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
