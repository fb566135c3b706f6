// A store from before 1.0.0 is refused and left unchanged. The fixtures are from November 2026.
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBackup } from '../../packages/server/src/store/backup/readBackup.ts'
import { restoreBackup } from '../../packages/server/src/store/backup/restoreBackup.ts'
import { writeBackup } from '../../packages/server/src/store/backup/writeBackup.ts'
import { exportRows } from '../../packages/server/src/store/export/exportRows.ts'
import { inspectDatabase } from '../../packages/server/src/store/inspectDatabase.ts'
import { openStore, openStoreAsIs } from '../../packages/server/src/store/openStore.ts'
import { migrate, readSchema } from '../../packages/server/src/store/schema.ts'
import { silentLogger, type TestConnection, withClient } from '../support/postgres.ts'
import { startTestPostgres, type TestPostgres } from '../support/testPostgres.ts'
import { dumpAll, fillUnreleased, unreleasedFolder } from '../support/unreleasedStore.ts'

const { signal } = new AbortController()

let postgres: TestPostgres
let connection: TestConnection

beforeAll(async () => {
  postgres = await startTestPostgres()
  connection = await postgres.createDatabase()
  await fillUnreleased(connection)
})

afterAll(() => postgres.stop())

const refused = {
  code: 'STORE_UNRELEASED',
  retryable: false,
  message: expect.stringMatching(
    /before 1\.0\.0.*another --data-dir or database.*Nothing was changed/s,
  ),
}

/** Every function that opens a database. */
const readers: Record<string, () => Promise<unknown>> = {
  start: () => openStore({ connection, logger: silentLogger }),
  'commands beside a service': () => openStoreAsIs({ connection, logger: silentLogger }),
  gateway: () => readSchema(connection),
  doctor: () => inspectDatabase(connection, () => 0),
  async backup() {
    const path = join(postgres.dataDir, 'backup.ctb')
    const filesOf = async () => []
    await writeBackup({ connection, path, version: '1.0.0', nowMs: 0, signal, filesOf })
  },
  async export() {
    const query = { what: 'swaps', chain: 'local', pair: undefined, fromS: 0, toS: 1, interval: 0 }
    await exportRows(connection, query as Parameters<typeof exportRows>[1], signal).next()
  },
}

test.each(Object.entries(readers))('error: %s refuses it and changes nothing', async (_, read) => {
  const before = await dumpAll(connection)
  expect(before.migrations).toHaveLength(19)
  expect(before.log!.length).toBeGreaterThan(0)
  await expect(read()).rejects.toMatchObject(refused)
  expect(await dumpAll(connection)).toEqual(before)
})

test('error: a backup of such a version is refused, and a current backup is not restored over such a store', async () => {
  await expect(openBackup(join(unreleasedFolder, 'backup.ctb'))).rejects.toMatchObject({
    code: 'BACKUP_UNRELEASED',
    retryable: false,
  })
  const from = await postgres.createDatabase()
  await withClient(from, (client) => migrate(client, { logger: silentLogger }))
  const path = join(postgres.dataDir, 'new.ctb')
  const filesOf = async () => []
  await writeBackup({ connection: from, path, version: '1.0.0', nowMs: 0, signal, filesOf })
  const backup = await openBackup(path)
  const before = await dumpAll(connection)
  const restored = restoreBackup({
    ...{ connection, backup, path, signal, logger: silentLogger },
    takeFile: async () => {},
    placeFiles: async () => {},
  })
  await expect(restored).rejects.toMatchObject(refused)
  backup.close()
  expect(await dumpAll(connection)).toEqual(before)
})

test('behavior: a table `migrations` of another program does not matter', async () => {
  const shared = await postgres.createDatabase()
  await withClient(shared, (client) =>
    client.query('CREATE TABLE migrations (id serial, migration text)'),
  )
  await (await openStore({ connection: shared, logger: silentLogger })).close()
})
