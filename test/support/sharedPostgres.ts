// One database server for all files of a project; each takes databases of its own. Vitest starts and stops it.
import type { TestProject } from 'vitest/node'
import { startPrivatePostgres } from '../../packages/server/src/store/privatePostgres.ts'
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

/** Has all tables and no row: others are copies of it, which takes less than making the tables. */
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
