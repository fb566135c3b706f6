// A backup contains every table and is restored row for row; a backup with an earlier schema is
// migrated.
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readTables, storedTables } from '../../packages/server/src/store/backup/format.ts'
import { openBackup } from '../../packages/server/src/store/backup/readBackup.ts'
import { restoreBackup } from '../../packages/server/src/store/backup/restoreBackup.ts'
import { writeBackup } from '../../packages/server/src/store/backup/writeBackup.ts'
import { type Migration, migrate, migrations } from '../../packages/server/src/store/schema.ts'
import { insertIntoEveryTable } from '../support/everyTable.ts'
import { dumpTables, silentLogger, type TestConnection, withClient } from '../support/postgres.ts'
import { startTestPostgres, type TestPostgres } from '../support/testPostgres.ts'

let postgres: TestPostgres

beforeAll(async () => {
  postgres = await startTestPostgres()
})

afterAll(() => postgres.stop())

const { signal } = new AbortController()

async function backUp(connection: TestConnection, name: string): Promise<string> {
  const path = join(postgres.dataDir, name)
  await writeBackup({
    connection,
    path,
    version: '1.2.3',
    nowMs: 0,
    signal,
    filesOf: async () => [],
  })
  return path
}

async function restore(
  path: string,
  connection: TestConnection,
  steps?: readonly Migration[],
): Promise<number> {
  const backup = await openBackup(path)
  try {
    return await restoreBackup({
      connection,
      backup,
      path,
      logger: silentLogger,
      steps,
      signal,
      takeFile: async () => expect.fail('it has no files'),
      placeFiles: async () => {},
    })
  } finally {
    backup.close()
  }
}

/** A database with rows in every table. */
async function fullDatabase(): Promise<TestConnection> {
  const connection = await postgres.createDatabase()
  await withClient(connection, async (client) => {
    await migrate(client, { logger: silentLogger })
    await client.query(insertIntoEveryTable)
  })
  return connection
}

/** The next value of each id sequence. */
async function nextIds(connection: TestConnection): Promise<unknown> {
  const { rows } = await withClient(connection, (client) =>
    client.query(`SELECT nextval('chains_id_seq') AS chain, nextval('keys_id_seq') AS key`),
  )
  return rows
}

test('default: a backup contains every table', async () => {
  const connection = await fullDatabase()
  const { rows } = await withClient(connection, (client) =>
    client.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace
         AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> 'schema_versions'`,
    ),
  )
  expect(rows.map(({ name }) => name).toSorted()).toEqual([...storedTables].toSorted())
  const tables = await withClient(connection, readTables)
  expect(tables.map(({ name }) => name)).toEqual(storedTables)
})

test('behavior: a backup is restored row for row', async () => {
  const from = await fullDatabase()
  const rows = await dumpTables(from, storedTables)
  expect(storedTables.filter((name) => rows[name]!.length === 0)).toEqual([])
  const to = await postgres.createDatabase()
  expect(await restore(await backUp(from, 'full.ctb'), to)).toBeGreaterThan(0)
  expect(await dumpTables(to, storedTables)).toEqual(rows)
  expect(await nextIds(to)).toEqual(await nextIds(from))
})

test('behavior: the next version restores a backup of this one and migrates it', async () => {
  const from = await fullDatabase()
  const to = await postgres.createDatabase()
  const sql = `ALTER TABLE chains ADD COLUMN next integer; UPDATE chains SET next = 7`
  const steps = [...migrations, { version: migrations.length + 1, name: 'next', sql }]
  await restore(await backUp(from, 'next.ctb'), to, steps)
  expect(await dumpTables(to, ['chains'])).toEqual({ chains: ['(1,local,7)'] })
  const { chains: _, ...rows } = await dumpTables(to, storedTables)
  expect(await dumpTables(from, storedTables)).toMatchObject(rows)
})

test('behavior: ids of removed rows are not reused', async () => {
  const from = await fullDatabase()
  await withClient(from, (client) =>
    client.query(
      `INSERT INTO chains (name) VALUES ('gone'); DELETE FROM chains WHERE name = 'gone'`,
    ),
  )
  const to = await postgres.createDatabase()
  await restore(await backUp(from, 'ids.ctb'), to)
  expect(await nextIds(to)).toMatchObject([{ chain: 3 }])
})

test('behavior: values that a text format could change are restored unchanged', async () => {
  const from = await fullDatabase()
  await withClient(from, (client) =>
    client.query(`
      UPDATE tokens SET name = E'tab\\there \\\\N \\\\. "quoted"\\n\\r\\u00e9\\U0001F600', symbol = '' WHERE id = 0;
      UPDATE swaps SET price_raw = 'NaN', liquidity_usd = '-Infinity', price0_usd = 5e-324, price1_usd = null;
      ALTER DATABASE ${from.database} SET datestyle = 'German';
      ALTER DATABASE ${from.database} SET extra_float_digits = -15;
      ALTER DATABASE ${from.database} SET bytea_output = 'escape'`),
  )
  const to = await postgres.createDatabase()
  await restore(await backUp(from, 'values.ctb'), to)
  const asText = (connection: TestConnection) =>
    withClient(connection, async (client) => {
      await client.query(
        `SET extra_float_digits = 3; SET datestyle = 'ISO'; SET bytea_output = 'hex'`,
      )
      const { rows } = await client.query(
        `SELECT t::text FROM tokens t UNION ALL SELECT s::text FROM swaps s UNION ALL SELECT p::text FROM snapshots p
         UNION ALL SELECT l::text FROM log l ORDER BY 1`,
      )
      return rows
    })
  expect(await asText(to)).toEqual(await asText(from))
})

test('behavior: writers continue, and retention deletes days, without affecting a backup in progress', async () => {
  const from = await fullDatabase()
  const path = join(postgres.dataDir, 'view.ctb')
  const before = await dumpTables(from, storedTables)
  await writeBackup({
    connection: from,
    path,
    version: '1.2.3',
    nowMs: 0,
    signal,
    // The backup's snapshot is taken by now: rows that are added from here on must not be in it.
    async filesOf() {
      await withClient(from, async (client) => {
        await client.query(
          `INSERT INTO keys (hash, name, plan, created_at_s, account_id) VALUES ('x', '', 'pro', 1, 9)`,
        )
        await client.query('UPDATE cursors SET number = 77; DELETE FROM swaps')
        await client.query(`SET lock_timeout = 100`)
        await expect(client.query('DROP TABLE swaps_c1_d20254')).rejects.toThrow('lock timeout')
        await client.query(
          `CREATE TABLE swaps_c7 PARTITION OF swaps FOR VALUES IN (7) PARTITION BY RANGE (time_s)`,
        )
      })
      return []
    },
  })
  const to = await postgres.createDatabase()
  await restore(path, to)
  expect(await dumpTables(to, storedTables)).toEqual(before)
})
