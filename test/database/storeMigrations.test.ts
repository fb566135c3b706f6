import { afterAll, beforeAll, expect, test } from 'vitest'
import { rewindStore } from '../../packages/server/src/app/chain/rewindStore.ts'
import { migrate, migrations } from '../../packages/server/src/store/migrate.ts'
import { openStore, openStoreAsIs } from '../../packages/server/src/store/openStore.ts'
import { chainPartitionsSql } from '../../packages/server/src/store/write/partitions.ts'
import { oldAncestor, oldRowsAt } from '../support/oldRows.ts'
import { dumpTables, silentLogger, type TestConnection, withClient } from '../support/postgres.ts'
import { startTestPostgres, type TestPostgres } from '../support/testPostgres.ts'

// The rows of old versions have a fixed time.
const keepAlways = { log: 1e5, swaps: 1e5, liquidity: 1e5, klines_s1: 1e5, klines_k1: 1e5 }

let postgres: TestPostgres
let newestSchema: string[]

beforeAll(async () => {
  postgres = await startTestPostgres()
  const fresh = await postgres.createDatabase()
  await migrateTo(fresh, migrations.length)
  newestSchema = await describeSchema(fresh)
})

afterAll(() => postgres.stop())

/** All that makes up a schema, as text; partitions of chains left out. */
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
    return rows.map(({ line }) => line).filter((line) => !/_c\d+(_|\b)/.test(line))
  })
}

async function emptyTables(connection: TestConnection): Promise<string[]> {
  const { rows } = await withClient(connection, (client) =>
    client.query<{ name: string }>(`
      SELECT relname AS name FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`),
  )
  const names = rows.map(({ name }) => name).filter((name) => name !== 'migrations')
  const tables = await dumpTables(connection, names)
  return names.filter((name) => tables[name]!.length === 0)
}

async function migrateTo(connection: TestConnection, toVersion: number): Promise<void> {
  await withClient(connection, (client) => migrate(client, { logger: silentLogger, toVersion }))
}

test('default: versions are numbered in order', () => {
  expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1))
})

test.each(migrations.map(({ version }) => version - 1))(
  'behavior: version %i reaches the newest schema; what it stored is read and reverted',
  async (version) => {
    const connection = await postgres.createDatabase()
    await migrateTo(connection, version)
    const rows = oldRowsAt(version)
    for (const { sql } of rows) await withClient(connection, (client) => client.query(sql))
    expect(await emptyTables(connection)).toEqual([])
    const store = await openStore({ connection, logger: silentLogger })
    try {
      expect(await describeSchema(connection)).toEqual(newestSchema)
      for (const { read, found } of rows) expect(await read(store, connection)).toEqual(found)
      const chainId = await store.ensureChain('local')
      const options = { chain: 'local', retention: keepAlways, logger: silentLogger }
      const count = await rewindStore({ store, chainId, ancestor: oldAncestor, ...options })
      expect(count).toBe(version === 0 ? 0 : 1)
      for (const { read, found, left = found } of rows)
        expect(await read(store, connection)).toEqual(left)
    } finally {
      await store.close()
    }
  },
)

test('behavior: the first block of a chain is taken from a log that still has it', async () => {
  const connection = await postgres.createDatabase()
  await migrateTo(connection, 10)
  await withClient(connection, async (client) => {
    for (const [id, seq] of [
      [1, 1],
      [2, 9],
    ]) {
      await client.query(`INSERT INTO chains (name) VALUES ('chain${id}')`)
      await client.query(`INSERT INTO cursors (chain, seq, number) VALUES (${id}, ${seq}, 70)`)
      await client.query(chainPartitionsSql(id!).join('\n'))
      await client.query(
        `CREATE TABLE log_day${id} PARTITION OF log_c${id} FOR VALUES FROM (0) TO (86400)`,
      )
      await client.query(
        `INSERT INTO log (chain, seq, time_s, type, number, hash, parent_hash, entry)
         VALUES (${id}, ${seq}, 5, 'commit', 70, '', '', '')`,
      )
    }
  })
  const store = await openStore({ connection, logger: silentLogger })
  expect(await store.listChains()).toMatchObject([
    { name: 'chain1', firstNumber: 70, swapsFromS: null },
    { name: 'chain2', firstNumber: null, swapsFromS: null },
  ])
  await store.close()
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
    // A revert takes klines before the log, and so may any query of several tables.
    await client.query('BEGIN; DELETE FROM klines_s1')
    const added = store.ensureChain('bsc')
    const isWaiting = `SELECT FROM pg_locks WHERE NOT granted AND relation = 'klines_s1'::regclass`
    while ((await client.query(isWaiting)).rowCount === 0);
    await client.query('DELETE FROM log; COMMIT')
    expect(await added).toBe(1)
  })
  await store.close()
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

test('error: whoever does not write the chains leaves a schema of another version as it is', async () => {
  const connection = await postgres.createDatabase()
  const open = () => openStoreAsIs({ connection, logger: silentLogger })
  await migrateTo(connection, migrations.length - 1)
  const before = await describeSchema(connection)
  await expect(open()).rejects.toMatchObject({ code: 'STORE_SCHEMA_OLD', retryable: false })
  expect(await describeSchema(connection)).toEqual(before)
  await migrateTo(connection, migrations.length)
  await (await open()).close()
  await withClient(connection, (client) =>
    client.query(`INSERT INTO migrations (version, name) VALUES (1000, 'future')`),
  )
  await expect(open()).rejects.toMatchObject({ code: 'STORE_SCHEMA_TOO_NEW' })
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
