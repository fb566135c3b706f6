// Reads the store of an earlier version, restored from a backup.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadEngine } from '../../packages/server/src/app/snapshots/loadEngine.ts'
import { createSnapshotter } from '../../packages/server/src/app/snapshots/snapshotter.ts'
import { snapshotFormat } from '../../packages/server/src/engine/snapshot/snapshotChanges.ts'
import { openBackup } from '../../packages/server/src/store/backup/readBackup.ts'
import { restoreBackup } from '../../packages/server/src/store/backup/restoreBackup.ts'
import { openStore, type Store } from '../../packages/server/src/store/openStore.ts'
import { dumpTables, silentLogger, type TestConnection, withClient } from '../support/postgres.ts'
import { startTestPostgres, type TestPostgres } from '../support/testPostgres.ts'
import {
  fixturesOf,
  fromJson,
  readExpected,
  readFixture,
  toJson,
} from '../support/upgradeFixture.ts'
import { upgradeProfile as profile, readMarket } from '../support/upgradeMarket.ts'
import { readUpgradeStore } from '../support/upgradeStore.ts'

const { name: chain } = profile
const { signal } = new AbortController()

let postgres: TestPostgres

beforeAll(async () => {
  postgres = await startTestPostgres()
})

afterAll(() => postgres.stop())

const asWritten = (value: unknown) => fromJson<Record<string, unknown>>(toJson(value))
const readOf = (name: string) =>
  fromJson<Record<string, object>>(readExpected(name, 'read').toString())

type Opened = { store: Store; chainId: number; connection: TestConnection }

/** A store as that version left it. */
async function openFixture(name: string): Promise<Opened> {
  const connection = await postgres.createDatabase()
  const path = join(postgres.dataDir, `${name}.ctb`)
  await writeFile(path, readFixture(name))
  const backup = await openBackup(path)
  await restoreBackup({
    ...{ connection, backup, path, signal, logger: silentLogger },
    takeFile: async () => expect.fail('it has no files'),
    placeFiles: async () => {},
  })
  backup.close()
  const store = await openStore({ connection, logger: silentLogger })
  return { store, chainId: (await store.findChain(chain))!, connection }
}

/**
 * The oldest fixture, without the log entries that its snapshot contains: retention deletes them
 * after days.
 */
async function openTrimmed(): Promise<Opened & { snapshotSeq: number }> {
  const opened = await openFixture(fixturesOf('store')[0]!)
  const { rows } = await withClient(opened.connection, async (client) => {
    const found = await client.query<{ seq: number }>('SELECT seq FROM snapshots')
    await client.query('DELETE FROM log WHERE seq <= (SELECT seq FROM snapshots)')
    return found
  })
  expect(rows).toHaveLength(1)
  return { ...opened, snapshotSeq: Number(rows[0]!.seq) }
}

/** The market as that version read it. */
const marketAtEnd = () => readOf(fixturesOf('store')[0]!).market!

test.each(fixturesOf('store'))(
  'behavior: %s is read as by the version that wrote it',
  async (name) => {
    const { store } = await openFixture(name)
    expect(asWritten(await readUpgradeStore(store))).toMatchObject(readOf(name))
    await store.close()
  },
)

test('behavior: a market without its first days is served, and its next snapshot has the current format', async () => {
  const { store, chainId } = await openTrimmed()
  const loaded = await loadEngine(store, chainId, profile, silentLogger)
  expect(asWritten(readMarket(loaded.engine))).toMatchObject(marketAtEnd())

  const snapshotter = createSnapshotter({ chainId, profile, store, logger: silentLogger })
  expect((await snapshotter.take()).saved!.number).toBeGreaterThan(0)
  expect(await store.newestSnapshotFormat(chainId)).toBe(snapshotFormat)
  const again = await loadEngine(store, chainId, profile, silentLogger)
  expect(readMarket(again.engine)).toEqual(readMarket(loaded.engine))
  await store.close()
})

test('behavior: with broken newer snapshots, the old one and the log give the market', async () => {
  const { store, chainId, connection, snapshotSeq } = await openTrimmed()
  const head = { chainId, number: 1, hash: 'h', format: snapshotFormat }
  // Newer snapshots that are broken: complete bytes that are not a snapshot, a truncated snapshot,
  // and a snapshot with changed bytes.
  await store.saveSnapshot({ ...head, seq: snapshotSeq + 1 }, [Buffer.from('no snapshot')])
  const cut = readFixture(fixturesOf('snapshot')[0]!).subarray(0, 90_000)
  await store.saveSnapshot({ ...head, seq: snapshotSeq + 2 }, [cut])
  const { engine } = await loadEngine(store, chainId, profile, silentLogger)
  expect(asWritten(readMarket(engine))).toMatchObject(marketAtEnd())
  await withClient(connection, (client) =>
    client.query(`UPDATE snapshot_chunks SET bytes = 'x' WHERE seq > $1`, [snapshotSeq]),
  )
  const again = await loadEngine(store, chainId, profile, silentLogger)
  expect(again.engine.stateHash()).toBe(engine.stateHash())

  await withClient(connection, (client) => client.query(`UPDATE snapshot_chunks SET bytes = 'x'`))
  await expect(loadEngine(store, chainId, profile, silentLogger)).rejects.toMatchObject({
    code: 'LOG_GAP',
  })
  await store.close()
})

test('error: a snapshot of a newer version ends the start, even if damaged, and nothing changes', async () => {
  const { store, chainId, connection, snapshotSeq } = await openTrimmed()
  const head = { chainId, seq: snapshotSeq + 3, number: 1, hash: 'h', format: snapshotFormat + 2 }
  await store.saveSnapshot(head, [Buffer.from('of a newer version')])
  await withClient(connection, (client) =>
    client.query(`UPDATE snapshot_chunks SET bytes = 'x' WHERE seq = $1`, [head.seq]),
  )
  const tables = () => dumpTables(connection, ['log', 'snapshots', 'snapshot_chunks', 'cursors'])
  const before = await tables()
  const refused = {
    code: 'SNAPSHOT_TOO_NEW',
    meta: expect.arrayContaining([
      `Its snapshot has format: ${snapshotFormat + 2}`,
      `Newest known here: ${snapshotFormat}`,
    ]),
  }
  await expect(loadEngine(store, chainId, profile, silentLogger)).rejects.toMatchObject(refused)
  const snapshotter = createSnapshotter({ chainId, profile, store, logger: silentLogger })
  await expect(snapshotter.take()).rejects.toMatchObject(refused)
  expect(await tables()).toEqual(before)
  await store.close()
})
