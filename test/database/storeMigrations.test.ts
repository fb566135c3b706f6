import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStore, openStoreAsIs } from '../../packages/server/src/store/openStore.ts'
import {
  migrate,
  migrations,
  prepareEmptySchema,
  readVersion,
} from '../../packages/server/src/store/schema.ts'
import { dumpTables, silentLogger, type TestConnection, withClient } from '../support/postgres.ts'
import { startTestPostgres, type TestPostgres } from '../support/testPostgres.ts'

/** The steps of a later version: one more than today. */
const nextSteps = [
  ...migrations,
  {
    version: migrations.length + 1,
    name: 'next',
    sql: `ALTER TABLE chains ADD COLUMN next text NOT NULL DEFAULT 'as before'`,
  },
]

let postgres: TestPostgres

beforeAll(async () => {
  postgres = await startTestPostgres()
})

afterAll(() => postgres.stop())

/** The whole schema as text. */
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

const open = (connection: TestConnection) => openStore({ connection, logger: silentLogger })

async function migrateToNext(connection: TestConnection): Promise<void> {
  await withClient(connection, (client) =>
    migrate(client, { logger: silentLogger, steps: nextSteps }),
  )
}

test('default: versions are numbered in order', () => {
  expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1))
})

test('behavior: the next version runs only its own step and keeps every row', async () => {
  const connection = await postgres.createDatabase()
  const store = await open(connection)
  await store.ensureChain('eth')
  await store.close()
  await migrateToNext(connection)
  expect(await dumpTables(connection, ['chains'])).toEqual({ chains: ['(1,eth,"as before")'] })
  expect(await withClient(connection, readVersion)).toBe(nextSteps.length)
  await migrateToNext(connection)
  const fresh = await postgres.createDatabase()
  await migrateToNext(fresh)
  expect(await describeSchema(fresh)).toEqual(
    (await describeSchema(connection)).filter((line) => !/_c\d+(_|\b)/.test(line)),
  )
})

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

test('behavior: a chain is added while another one is written', async () => {
  const connection = await postgres.createDatabase()
  const store = await openStore({ connection, logger: silentLogger })
  await withClient(connection, async (client) => {
    // Locks klines before the log, as a revert and any query of several tables may do.
    await client.query('BEGIN; DELETE FROM klines_s1')
    const added = store.ensureChain('bsc')
    const isWaiting = `SELECT FROM pg_locks WHERE NOT granted AND relation = 'klines_s1'::regclass`
    while ((await client.query(isWaiting)).rowCount === 0);
    await client.query('DELETE FROM log; COMMIT')
    expect(await added).toBe(1)
  })
  await store.close()
})

test('error: a newer version’s schema is refused and left unchanged', async () => {
  const connection = await postgres.createDatabase()
  await migrateToNext(connection)
  const before = await describeSchema(connection)
  const refused = {
    code: 'STORE_SCHEMA_TOO_NEW',
    retryable: false,
    meta: expect.arrayContaining([
      `Its schema: ${nextSteps.length}`,
      `Newest known here: ${migrations.length}`,
    ]),
  }
  await expect(open(connection)).rejects.toMatchObject(refused)
  const asIs = openStoreAsIs({ connection, logger: silentLogger })
  await expect(asIs).rejects.toMatchObject(refused)
  expect(await describeSchema(connection)).toEqual(before)
})

test('error: a process that does not write the chains leaves an older schema unchanged', async () => {
  const connection = await postgres.createDatabase()
  await (await open(connection)).close()
  const before = await describeSchema(connection)
  const prepared = prepareEmptySchema(connection, silentLogger, nextSteps)
  await expect(prepared).rejects.toMatchObject({ code: 'STORE_SCHEMA_OLD', retryable: false })
  expect(await describeSchema(connection)).toEqual(before)
  await (await openStoreAsIs({ connection, logger: silentLogger })).close()
})

test('error: a failed step leaves the schema unchanged', async () => {
  const connection = await postgres.createDatabase()
  await withClient(connection, (client) => client.query('CREATE TABLE balances (x int)'))
  const before = await describeSchema(connection)
  await expect(open(connection)).rejects.toMatchObject({ code: 'STORE_WRITE_FAILED' })
  expect(await describeSchema(connection)).toEqual(before)
})

test('error: no server', async () => {
  const connection = { databaseUrl: 'postgres://user:secret@127.0.0.1:1/none' }
  const failure = openStore({ connection, logger: silentLogger })
  await expect(failure).rejects.toMatchObject({ code: 'STORE_UNREACHABLE', retryable: true })
  await expect(failure).rejects.not.toThrow('secret')
})
