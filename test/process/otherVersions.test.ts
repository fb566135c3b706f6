// A data directory of a version from before 1.0.0, or of a newer version, is refused and left
// unchanged.
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startPrivatePostgres } from '../../packages/server/src/store/postgres/privatePostgres.ts'
import { migrate, migrations } from '../../packages/server/src/store/schema.ts'
import { createDataDir, removeDataDir, silentLogger, withClient } from '../support/postgres.ts'
import { runProgram } from '../support/program.ts'
import { dumpAll, fillUnreleased } from '../support/unreleasedStore.ts'

/** Files beside the database, with their content. */
async function filesIn(dataDir: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  for (const name of await readdir(dataDir, { recursive: true })) {
    if (name.startsWith('postgres') || !(await stat(join(dataDir, name))).isFile()) continue
    files[name] = await readFile(join(dataDir, name), 'utf8')
  }
  return files
}

test('error: a data directory from before 1.0.0 is refused with one message and left unchanged', async () => {
  const dataDir = await createDataDir()
  onTestFinished(() => removeDataDir(dataDir))
  const open = () => startPrivatePostgres({ dataDir, logger: silentLogger })
  const server = await open()
  await fillUnreleased(server.connection)
  const before = await dumpAll(server.connection)
  await server.stop()
  await mkdir(join(dataDir, 'devnet'))
  await writeFile(join(dataDir, 'devnet', 'journal'), 'as it was')
  const program = runProgram(['start', '--data-dir', dataDir, '--port', '0', '--devnet-port', '0'])
  expect(await program.ended).toBe(1)
  expect(program.stderr()).toMatch(/before 1\.0\.0/)
  expect(program.stderr()).toMatch(/Start over with another --data-dir or database/)
  expect(program.stderr().match(/before 1\.0\.0/g)).toHaveLength(1)
  expect(await filesIn(dataDir)).toEqual({ 'devnet/journal': 'as it was' })
  const again = await open()
  expect(await dumpAll(again.connection)).toEqual(before)
  await again.stop()
})

test('error: a data directory of a newer version is refused with advice and left unchanged', async () => {
  const dataDir = await createDataDir()
  onTestFinished(() => removeDataDir(dataDir))
  const open = () => startPrivatePostgres({ dataDir, logger: silentLogger })
  const version = migrations.length + 1
  const next = { version, name: 'next', sql: 'CREATE TABLE next (n int)' }
  const server = await open()
  const steps = [...migrations, next]
  await withClient(server.connection, (client) => migrate(client, { logger: silentLogger, steps }))
  const dump = (connection: typeof server.connection) =>
    withClient(connection, async (client) => {
      const { rows } = await client.query(
        `SELECT table_name, column_name FROM information_schema.columns
         WHERE table_schema = 'public' ORDER BY 1, 2`,
      )
      return rows
    })
  const before = await dump(server.connection)
  await server.stop()
  const program = runProgram(['start', '--data-dir', dataDir, '--port', '0', '--devnet-port', '0'])
  expect(await program.ended).toBe(1)
  expect(program.stderr()).toContain(
    'STORE_SCHEMA_TOO_NEW: The database was written by a newer version of this program.',
  )
  expect(program.stderr()).toContain(`Its schema: ${version}`)
  expect(program.stderr()).toMatch(/Start the newer version again, or restore a backup/)
  const again = await open()
  expect(await dump(again.connection)).toEqual(before)
  await again.stop()
})
