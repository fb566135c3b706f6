import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate, migrations } from '../../packages/server/src/store/migrate.ts'
import { openStore } from '../../packages/server/src/store/openStore.ts'
import {
  silentLogger,
  startTestPostgres,
  type TestConnection,
  type TestPostgres,
  withClient,
} from '../support/postgres.ts'

let postgres: TestPostgres

beforeAll(async () => {
  postgres = await startTestPostgres()
})

afterAll(() => postgres.stop())

/** All that makes up a schema, as text. */
function describeSchema(connection: TestConnection): Promise<string[]> {
  return withClient(connection, async (client) => {
    const { rows } = await client.query<{ line: string }>(`
      SELECT format('%s.%s %s %s %s', table_name, column_name, data_type, is_nullable, column_default) AS line
      FROM information_schema.columns WHERE table_schema = 'public'
      UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
      UNION ALL SELECT format('%s %s', conrelid::regclass, pg_get_constraintdef(oid))
        FROM pg_constraint WHERE connamespace = 'public'::regnamespace
      UNION ALL SELECT format('%s %s', relname, reloptions) FROM pg_class
        WHERE relnamespace = 'public'::regnamespace
      ORDER BY line`)
    return rows.map(({ line }) => line)
  })
}

async function migrateTo(connection: TestConnection, toVersion: number): Promise<void> {
  await withClient(connection, (client) => migrate(client, { logger: silentLogger, toVersion }))
}

test('default: versions are numbered in order', () => {
  expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1))
})

test.each(migrations.map(({ version }) => version - 1))(
  'behavior: version %i reaches the newest schema',
  async (version) => {
    const fresh = await postgres.createDatabase()
    await migrateTo(fresh, migrations.length)
    const old = await postgres.createDatabase()
    await migrateTo(old, version)
    if (version >= 1)
      await withClient(old, (client) => client.query(`INSERT INTO chains (name) VALUES ('eth')`))
    await migrateTo(old, migrations.length)
    expect(await describeSchema(old)).toEqual(await describeSchema(fresh))
    if (version === 0) return
    const { rows } = await withClient(old, (client) => client.query('SELECT name FROM chains'))
    expect(rows).toEqual([{ name: 'eth' }])
  },
)

test('behavior: processes that start together migrate once', async () => {
  const connection = await postgres.createDatabase()
  const stores = await Promise.all(
    [1, 2, 3].map(() => openStore({ connection, logger: silentLogger })),
  )
  const ids = await Promise.all(stores.map((store) => store.ensureChain('eth')))
  expect(new Set(ids)).toEqual(new Set([1]))
  expect(await stores[0]!.ensureChain('bsc')).toBe(2)
  await Promise.all(stores.map((store) => store.close()))
})

test('error: a schema from the future', async () => {
  const connection = await postgres.createDatabase()
  await migrateTo(connection, migrations.length)
  await withClient(connection, (client) =>
    client.query(`INSERT INTO migrations (version, name) VALUES (1000, 'future')`),
  )
  await expect(openStore({ connection, logger: silentLogger })).rejects.toMatchObject({
    code: 'STORE_SCHEMA_TOO_NEW',
    retryable: false,
  })
})

test('error: a step that fails leaves the schema as it was', async () => {
  const connection = await postgres.createDatabase()
  await migrateTo(connection, 2)
  await withClient(connection, (client) => client.query('CREATE TABLE balances (x int)'))
  const before = await describeSchema(connection)
  await expect(openStore({ connection, logger: silentLogger })).rejects.toMatchObject({
    code: 'STORE_WRITE_FAILED',
  })
  expect(await describeSchema(connection)).toEqual(before)
})

test('error: no server', async () => {
  const connection = { databaseUrl: 'postgres://user:secret@127.0.0.1:1/none' }
  const failure = openStore({ connection, logger: silentLogger })
  await expect(failure).rejects.toMatchObject({ code: 'STORE_UNREACHABLE', retryable: true })
  await expect(failure).rejects.not.toThrow('secret')
})
