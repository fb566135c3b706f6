// The log is the source of truth: every reader computes the same market and the same events from
// it, in another process, from a snapshot, and after a restart.
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  loadEngine,
  loadSnapshotEngine,
} from '../../packages/server/src/app/snapshots/loadEngine.ts'
import { createSnapshotter } from '../../packages/server/src/app/snapshots/snapshotter.ts'
import { createEngine, type Engine } from '../../packages/server/src/engine/engine.ts'
import { decodeEntry } from '../../packages/server/src/log/entryCodec.ts'
import { openStore, type Store } from '../../packages/server/src/store/openStore.ts'
import {
  type PrivatePostgres,
  startPrivatePostgres,
} from '../../packages/server/src/store/postgres/privatePostgres.ts'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import { eventDigest } from '../support/eventDigest.mjs'
import { mineLaunch } from '../support/mineLaunch.ts'
import {
  createDataDir,
  dumpMarket,
  removeDataDir,
  silentLogger,
  type TestConnection,
  withClient,
} from '../support/postgres.ts'
import { runProgram, writeChainConfig } from '../support/program.ts'
import { type Service, startService, untilStored } from '../support/service.ts'
import {
  expectSameMarket,
  privateConnectionOf,
  profileOf,
  readStored,
} from '../support/storedMarket.ts'
import { until } from '../support/until.ts'

const replayLogPath = resolve(import.meta.dirname, '../support/replayLog.mjs')
const dataDirs: string[] = []
let node: DevNode
let service: Service | undefined
/** The database server of a program whose log contains reorgs. */
let server: PrivatePostgres
let store: Store
let chainId: number

beforeAll(async () => {
  node = await startDevNode({ market: true, seed: 'replay' })
  await mine(20)
  const { dataDir, config } = await createConfig()
  service = await startService(dataDir, config)
  for (const depth of [2, 11]) {
    await mineLaunch(node)
    await untilStored(dataDir, node)
    await node.reorg(depth)
    await mine(depth + 3)
    await untilStored(dataDir, node)
  }
  expect(await service.stop()).toBe(0)
  server = await startPrivatePostgres({ dataDir, logger: silentLogger })
  store = await openStore({ connection: server.connection, logger: silentLogger })
  chainId = await store.ensureChain(node.profile.name)
})

afterEach(async () => {
  await service?.kill()
})

afterAll(async () => {
  await store.close()
  await server.stop()
  await node.stop()
  for (const dataDir of dataDirs) await removeDataDir(dataDir)
})

async function mine(count: number): Promise<void> {
  for (let block = 0; block < count; block += 1) await node.mineMarket()
}

async function createConfig(limits = {}): Promise<{ dataDir: string; config: string }> {
  const dataDir = await createDataDir()
  dataDirs.push(dataDir)
  return { dataDir, config: await writeChainConfig(dataDir, node, { limits }) }
}

/** Applies the log from this entry on. Returns a digest of the events of each entry. */
async function replay(engine: Engine, fromSeq: number): Promise<string[]> {
  const digests: string[] = []
  for await (const { bytes } of store.readLog(chainId, fromSeq))
    digests.push(eventDigest(engine.apply(decodeEntry(bytes))))
  return digests
}

async function replayAll() {
  const engine = createEngine({ profile: profileOf(node.profile) })
  return { digests: await replay(engine, 1), stateHash: engine.stateHash() }
}

test('default: a second process computes the same state and the same events', async () => {
  const here = await replayAll()
  const { rows } = await withClient(server.connection, (client) =>
    client.query<{ type: string }>('SELECT DISTINCT type FROM log ORDER BY type'),
  )
  expect(rows.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['commit', 'finalize', 'revert']),
  )
  expect(new Set(here.digests).size).toBeGreaterThan(50)

  const argument = JSON.stringify({
    connection: server.connection,
    chainId,
    profile: profileOf(node.profile),
  })
  const { stdout } = await promisify(execFile)(process.execPath, [replayLogPath, argument])
  expect(JSON.parse(stdout)).toEqual(here)
})

test('behavior: a snapshot at any entry gives the same state and the same later events', async () => {
  const expected = await replayAll()
  const profile = profileOf(node.profile)
  const { seq: lastSeq } = await store.loadCursor(chainId)
  let endSeq = 0
  const growing: Store = {
    ...store,
    async *readLog(id, fromSeq) {
      for await (const entry of store.readLog(id, fromSeq)) if (entry.seq <= endSeq) yield entry
    },
    async *readLogPlaces(id, fromSeq) {
      for await (const place of store.readLogPlaces(id, fromSeq))
        if (place.seq <= endSeq) yield place
    },
  }
  const options = { chainId, profile, logger: silentLogger }
  const snapshotter = createSnapshotter({ ...options, store: growing })
  const seqs = new Set<number>()
  for (endSeq = 5; endSeq < lastSeq + 12; endSeq += 12) {
    if ((await snapshotter.take()).saved === null) continue
    const { engine, seq } = await loadSnapshotEngine(store, chainId, { profile }, silentLogger)
    seqs.add(seq)
    expect(engine.head()!.number).toBeLessThanOrEqual(engine.finalizedNumber())
    expect(await replay(engine, seq + 1)).toEqual(expected.digests.slice(seq))
    expect(engine.stateHash()).toBe(expected.stateHash)

    // A snapshotter that starts here has nothing new to save.
    const next = createSnapshotter({ ...options, store: growing })
    expect((await next.take()).saved).toBe(null)
  }
  expect(seqs.size).toBeGreaterThan(5)
  expect((await loadEngine(store, chainId, profile, silentLogger)).seq).toBe(lastSeq)
})

/** Zero if no snapshot is stored. */
function snapshotSeq(connection: TestConnection, which: 'min' | 'max'): Promise<number> {
  return withClient(connection, async (client) => {
    const { rows } = await client.query<{ seq: number }>(
      `SELECT coalesce(${which}(seq), 0) AS seq FROM snapshots`,
    )
    return Number(rows[0]!.seq)
  })
}

/** Runs `work` on the database of a program that is stopped. */
async function withStopped<result>(
  dataDir: string,
  work: (connection: TestConnection) => Promise<result>,
): Promise<result> {
  const stopped = await startPrivatePostgres({ dataDir, logger: silentLogger })
  try {
    return await work(stopped.connection as TestConnection)
  } finally {
    await stopped.stop()
  }
}

test('behavior: restarts from a snapshot and the later log equal an uninterrupted run', async () => {
  const { dataDir, config } = await createConfig({ snapshot_every_ms: 100 })
  const connection = await privateConnectionOf(dataDir)
  for (const end of ['stop', 'kill', 'stop'] as const) {
    service = await startService(dataDir, config)
    await mineLaunch(node)
    await node.reorg(4)
    await mine(8)
    await untilStored(dataDir, node)
    const { finalized_block } = await service.chainHealth()
    expect(finalized_block).toBe((await node.readHead()).number - 16)
    const before = await snapshotSeq(connection, 'max')
    await until('newer snapshots are there', async () => {
      // Each new block is a reason for a new snapshot.
      await mine(1)
      await untilStored(dataDir, node)
      return (await snapshotSeq(connection, 'max')) > before
    })
    // Deletes the entries up to the oldest snapshot, as retention does in time: from here on a
    // start needs a snapshot.
    const neededSeq = await snapshotSeq(connection, 'min')
    await withClient(connection, (client) =>
      client.query('DELETE FROM log WHERE seq <= $1', [neededSeq]),
    )
    if (end === 'kill') await service.kill()
    else expect(await service.stop()).toBe(0)
  }
  const fresh = await createConfig()
  expect(await runProgram(['backfill', '--config', fresh.config]).ended).toBe(0)
  expectSameMarket(
    await readStored(dataDir, node.profile),
    await readStored(fresh.dataDir, node.profile),
  )
})

test('error: data of a newer version, or a log without its beginning and no valid snapshot: nothing is served or written', async () => {
  const { dataDir, config } = await createConfig({ snapshot_every_ms: 100 })
  service = await startService(dataDir, config)
  await untilStored(dataDir, node)
  const metrics = async () => await (await service!.get('/metrics')).text()
  await until('a snapshot is there', async () =>
    /chaintape_snapshot_block\{chain="local"\} \d+/.test(await metrics()),
  )
  expect(await metrics()).toContain('chaintape_snapshot_failures_total 0')
  expect(await service.stop()).toBe(0)

  const expectRefused = async (code: string) => {
    const before = await withStopped(dataDir, dumpMarket)
    const program = runProgram(['start', '--config', config, '--port', '0', '--data-dir', dataDir])
    expect(await program.ended).toBe(1)
    expect(program.stderr()).toContain(code)
    expect(await withStopped(dataDir, dumpMarket)).toEqual(before)
  }
  const addToFormat = (difference: number) =>
    withStopped(dataDir, (connection) =>
      withClient(connection, (client) =>
        client.query('UPDATE snapshots SET format = format + $1', [difference]),
      ),
    )
  await addToFormat(1)
  await expectRefused('SNAPSHOT_TOO_NEW')
  await addToFormat(-1)
  await withStopped(dataDir, async (connection) => {
    await withClient(connection, async (client) => {
      await client.query('DELETE FROM log WHERE seq <= (SELECT min(seq) FROM snapshots)')
      await client.query(String.raw`UPDATE snapshot_chunks SET bytes = '\x00'`)
    })
  })
  await expectRefused('LOG_GAP')
})
