// docs/reference/sql.md as published: its statements run, its role is tried, its columns are
// compared with the schema.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { storedTables } from '../../packages/server/src/store/backup/format.ts'
import { sqlState } from '../../packages/server/src/store/errors.ts'
import { type TestConnection, withClient } from '../support/postgres.ts'
import { startTestPostgres, type TestPostgres } from '../support/testPostgres.ts'

const page = readFileSync(resolve(import.meta.dirname, '../../docs/reference/sql.md'), 'utf8')
const blocks = [...page.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, sql]) => sql!)
const [roleSql, examples] = [blocks[0]!, blocks[1]!]
// Roles belong to the server, which other tests share, so the name is random.
const role = `analyst_${randomBytes(6).toString('hex')}`

/** Columns of each table as docs/reference/sql.md lists them. */
const documented = Object.fromEntries(
  page
    .split('\n### ')
    .slice(1, -1)
    .map((section) => [
      section.slice(0, section.indexOf('\n')),
      [...section.matchAll(/^\| `(\w+)` \| ([^|]+) \|/gm)].map(([, name, type]) => [name, type]),
    ]),
)
const unread = [
  ...page
    .split('\n### ')
    .at(-1)!
    .matchAll(/`(\w+)`/g),
].map(([, name]) => name!)

let postgres: TestPostgres
let connection: TestConnection
let asRole: TestConnection

beforeAll(async () => {
  postgres = await startTestPostgres()
  connection = await postgres.createDatabaseWithTables()
  asRole = { ...connection, user: role }
  await withClient(connection, (client) => client.query(roleSql.replaceAll('analyst', role)))
})
afterAll(async () => {
  await withClient(connection, (client) => client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`))
  await postgres.stop()
})

/** SQLSTATE of a statement that the role runs; null if it succeeded. */
async function stateOf(sql: string): Promise<string | null> {
  return await withClient(asRole, async (client) => {
    try {
      await client.query(sql)
      return null
    } catch (error) {
      return sqlState(error) ?? String(error)
    }
  })
}

test('default: the page lists every table with its columns and types', async () => {
  const { rows } = await withClient(connection, (client) =>
    client.query<{ table: string; name: string; type: string }>(
      `SELECT c.relname AS table, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type
        FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
          AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped`,
    ),
  )
  const real = new Map<string, string[][]>()
  for (const { table, name, type } of rows)
    real.set(table, [...(real.get(table) ?? []), [name, type]])
  expect([...Object.keys(documented), ...unread].toSorted()).toEqual([...real.keys()].toSorted())
  expect([...storedTables, 'schema_versions'].toSorted()).toEqual([...real.keys()].toSorted())
  for (const [table, columns] of Object.entries(documented))
    expect([table, columns.toSorted()]).toEqual([...[table, real.get(table)!.toSorted()]])
})

test('behavior: the role reads the market’s tables, and the examples run', async () => {
  for (const table of Object.keys(documented))
    expect([table, await stateOf(`SELECT * FROM ${table}`)]).toEqual([table, null])
  expect(await stateOf(examples)).toBeNull()
})

test('behavior: the role reads neither keys nor other tables of the service', async () => {
  const denied = '42501'
  for (const table of unread)
    expect([table, await stateOf(`SELECT * FROM ${table}`)]).toEqual([table, denied])
})

test('behavior: the role writes nothing, whatever it sets', async () => {
  const [denied, readOnly] = ['42501', '25006']
  const writes = [
    ...["INSERT INTO chains (name) VALUES ('mine')", 'UPDATE tokens SET decimals = 0'],
    ...['DELETE FROM swaps', 'TRUNCATE klines', 'DROP TABLE swaps', 'CREATE TABLE mine (a int)'],
  ]
  for (const sql of writes) {
    expect([denied, readOnly]).toContain(await stateOf(sql))
    const state = await withClient(asRole, async (client) => {
      await client.query('SET default_transaction_read_only = off')
      return await client.query(sql).then(
        () => null,
        (error: unknown) => sqlState(error),
      )
    })
    expect([sql, state]).toEqual([sql, denied])
  }
})
