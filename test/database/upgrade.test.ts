// A database and a data directory that an earlier version left, whose log no longer begins at the start.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadEngine } from '../../packages/server/src/app/chain/loadEngine.ts'
import { createSnapshotter } from '../../packages/server/src/app/threads/snapshotter.ts'
import { restoreEngine } from '../../packages/server/src/engine/engine.ts'
import { snapshotFormat } from '../../packages/server/src/engine/snapshot/snapshotChanges.ts'
import { decodeEntry } from '../../packages/server/src/log/entryCodec.ts'
import type { LogEntry } from '../../packages/server/src/model/logEntry.ts'
import { openStore, type Store } from '../../packages/server/src/store/openStore.ts'
import { chainPartitionsSql } from '../../packages/server/src/store/write/partitions.ts'
import { startDevNode } from '../support/devNode.ts'
import {
  createDataDir,
  dumpTables,
  removeDataDir,
  silentLogger,
  type TestConnection,
  withClient,
} from '../support/postgres.ts'
import { startTestPostgres, type TestPostgres } from '../support/testPostgres.ts'
import { fromJson, readBeside, readFixture, splitBytes } from '../support/upgradeFixture.ts'
import { upgradeProfile as profile, readMarket } from '../support/upgradeMarket.ts'

const { name: chain } = profile
/** The oldest that is read. */
const fixture = 'snapshot1'
/** Entries up to here are in the snapshot, and gone from the log. */
const snapshotSeq = 1_000
const log = splitBytes(readBeside(fixture, 'log'))
const entries = log.map((bytes) => decodeEntry(bytes))

let postgres: TestPostgres

beforeAll(async () => {
  postgres = await startTestPostgres()
})

afterAll(() => postgres.stop())

function placeOf(entry: LogEntry): { number: number; hash: string } {
  if (entry.type === 'commit') return entry.block.ref
  if (entry.type === 'late') return entry.facts.ref
  return entry.ref
}

/** As the version of the fixture left it. */
async function openOld(): Promise<{ store: Store; chainId: number; connection: TestConnection }> {
  const connection = await postgres.createDatabase()
  const store = await openStore({ connection, logger: silentLogger })
  const chainId = await store.ensureChain(chain)
  const head = { chainId, seq: snapshotSeq, number: 1, hash: 'h', format: 1 }
  await store.saveSnapshot(head, [readFixture(fixture)])
  await withClient(connection, async (client) => {
    await client.query(chainPartitionsSql(chainId).join('\n'))
    await client.query(
      `CREATE TABLE log_day PARTITION OF log_c${chainId} FOR VALUES FROM (0) TO (86400)`,
    )
    for (const [index, entry] of log.entries()) {
      const { number, hash } = placeOf(entries[index]!)
      await client.query(
        `INSERT INTO log (chain, seq, time_s, type, number, hash, parent_number, parent_hash, entry, news)
         VALUES ($1, $2, 5, $3, $4, $5, -1, '', $6, '{}')`,
        [chainId, snapshotSeq + 1 + index, entries[index]!.type, number, hash, entry],
      )
    }
  })
  return { store, chainId, connection }
}

const readOf = (name: string) =>
  fromJson<Record<string, object>>(readBeside(name, 'read').toString())

/** The market after the last entry. */
function marketAtEnd() {
  const engine = restoreEngine({ profile }, [readFixture(fixture)])
  for (const entry of entries) engine.apply(entry)
  return engine
}

test('behavior: a stored market is served, its next snapshot is of this version', async () => {
  const { store, chainId } = await openOld()
  const expected = marketAtEnd()
  const loaded = await loadEngine(store, chainId, profile, silentLogger)
  expect(loaded.seq).toBe(snapshotSeq + log.length)
  expect(loaded.engine.stateHash()).toBe(expected.stateHash())

  const snapshotter = createSnapshotter({ chainId, profile, store, logger: silentLogger })
  expect((await snapshotter.take()).saved!.number).toBeGreaterThan(0)
  expect(await store.newestSnapshotFormat(chainId)).toBe(snapshotFormat)
  const again = await loadEngine(store, chainId, profile, silentLogger)
  expect(readMarket(again.engine)).toEqual(readMarket(expected))
  await store.close()
})

test('behavior: whatever is wrong with newer snapshots, the old one and the log give the market', async () => {
  const { store, chainId, connection } = await openOld()
  const head = { chainId, number: 1, hash: 'h', format: snapshotFormat }
  // Stored whole, and no snapshot; one that was cut off; one whose bytes have changed on the disk.
  await store.saveSnapshot({ ...head, seq: snapshotSeq + 1 }, [Buffer.from('no snapshot')])
  const cut = readFixture(fixture).subarray(0, 90_000)
  await store.saveSnapshot({ ...head, seq: snapshotSeq + 2 }, [cut])
  const { engine } = await loadEngine(store, chainId, profile, silentLogger)
  expect(engine.stateHash()).toBe(marketAtEnd().stateHash())
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

test('error: a snapshot of a newer version ends the start, be it damaged, and nothing changes', async () => {
  const { store, chainId, connection } = await openOld()
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

test('behavior: the local chain of an earlier version goes on where it was', async () => {
  const dataDir = await createDataDir()
  await mkdir(join(dataDir, 'devnet'))
  await writeFile(join(dataDir, 'devnet', 'journal'), readFixture('journal2'))
  const node = await startDevNode({ market: true, seed: 'another', dataDir })
  const { head, genesisHash, profile: devnetProfile } = readOf('journal2')
  expect(node.isReplayed).toBe(true)
  expect(node.messages).toEqual([])
  expect(node.genesisHash).toEqual(genesisHash)
  // What was called factories then are venues now.
  const { factories, ...rest } = devnetProfile as { factories: object[] }
  expect(node.profile).toMatchObject({ ...rest, venues: factories })
  expect(await node.readHead()).toEqual(head)
  await node.mineMarket()
  expect((await node.readHead()).number).toBe((head as { number: number }).number + 1)
  await node.stop()
  await removeDataDir(dataDir)
})
