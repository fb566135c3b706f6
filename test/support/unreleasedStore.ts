// A store of a version from before 1.0.0 (November 2026), with rows in all of its tables.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { dumpTables, type TestConnection, withClient } from './postgres.ts'

export const unreleasedFolder = resolve(import.meta.dirname, '../fixtures/unreleased')

export async function fillUnreleased(connection: TestConnection): Promise<void> {
  const sql = gunzipSync(readFileSync(resolve(unreleasedFolder, 'store.sql.gz'))).toString()
  await withClient(connection, (client) => client.query(sql))
}

/** Every row of every table. */
export async function dumpAll(connection: TestConnection): Promise<Record<string, string[]>> {
  const { rows } = await withClient(connection, (client) =>
    client.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class
       WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') ORDER BY 1`,
    ),
  )
  const names = rows.map(({ name }) => name)
  return await dumpTables(connection, names)
}
