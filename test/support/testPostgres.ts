import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { inject } from 'vitest'
import { createDataDir, type TestConnection, withClient } from './postgres.ts'
import { schemaDatabase } from './sharedPostgres.ts'

export type TestPostgres = {
  /** Directory for files of the test. */
  dataDir: string
  /** Creates an empty database on the server. */
  createDatabase(): Promise<TestConnection>
  /** Creates a database with all tables and no rows. */
  createDatabaseWithTables(): Promise<TestConnection>
  stop(): Promise<void>
}

/** Creates databases for one test file, on the server shared by all files. */
export async function startTestPostgres(): Promise<TestPostgres> {
  const server = inject('postgres')
  const dataDir = await createDataDir()
  const databases: string[] = []
  const query = (text: string) => withClient(server, (client) => client.query(text))
  const create = async (template: string) => {
    const database = `test_${randomBytes(6).toString('hex')}`
    await query(`CREATE DATABASE ${database} TEMPLATE ${template}`)
    databases.push(database)
    return { ...server, database }
  }
  return {
    dataDir,
    createDatabase: () => create('template1'),
    createDatabaseWithTables: () => create(schemaDatabase),
    async stop() {
      for (const database of databases)
        await query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`)
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
