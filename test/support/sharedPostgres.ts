// One database server for all files of a project; each file creates its own databases. Vitest
// starts and stops the server.
import type { TestProject } from 'vitest/node'
import { startPrivatePostgres } from '../../packages/server/src/store/postgres/privatePostgres.ts'
import { prepareSchema } from '../../packages/server/src/store/schema.ts'
import {
  createDataDir,
  removeDataDir,
  silentLogger,
  type TestConnection,
  withClient,
} from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgres: TestConnection
  }
}

/** A template with all tables and no rows: copying it is quicker than creating the tables. */
export const schemaDatabase = 'schema_only'

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await createDataDir()
  const server = await startPrivatePostgres({ dataDir, logger: silentLogger })
  await withClient(server.connection, (client) => client.query(`CREATE DATABASE ${schemaDatabase}`))
  await prepareSchema({ ...server.connection, database: schemaDatabase }, silentLogger)
  project.provide('postgres', server.connection)
  return async () => {
    await server.stop()
    await removeDataDir(dataDir)
  }
}
