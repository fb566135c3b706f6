import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { AppError } from '../../packages/server/src/lib/errors.ts'
import type { Cursor } from '../../packages/server/src/store/blockWrite.ts'
import { openStore, type Store } from '../../packages/server/src/store/openStore.ts'
import { findPostmaster } from '../../packages/server/src/store/postgres/postmaster.ts'
import {
  type PrivatePostgres,
  startPrivatePostgres,
} from '../../packages/server/src/store/postgres/privatePostgres.ts'
import { StoreClient } from '../../packages/server/src/store/storeClient.ts'
import { startCuttingProxy } from '../support/cuttingProxy.ts'
import {
  createDataDir,
  dumpChain,
  dumpTables,
  silentLogger,
  withClient,
} from '../support/postgres.ts'
import { createWriteSequence, randomHistory, swapEvent } from '../support/storeWrites.ts'
import { until } from '../support/until.ts'

let dataDir: string
let server: PrivatePostgres
let store: Store
let chainId: number

beforeEach(async () => {
  dataDir = await createDataDir()
  server = await startPrivatePostgres({ dataDir, logger: silentLogger })
  store = await openStore({ connection: server.connection, logger: silentLogger })
  chainId = await store.ensureChain('local')
})

afterEach(async () => {
  await store.close()
  await server.stop()
  await rm(dataDir, { recursive: true, force: true })
})

const limits = { retryDelayMsMax: 50, closeTimeoutMs: 100 }
const isAnswering = () =>
  withClient(server.connection, (client) => client.query('SELECT 1')).then(
    () => true,
    () => false,
  )
const clusterPid = async () => (await findPostmaster(join(dataDir, 'postgres')))!

/** Rows that an undisturbed writer stores. */
async function expectedDump(count: number, seed: number) {
  const other = await store.ensureChain('undisturbed')
  const writer = await store.openWriter({ chainId: other, chain: 'undisturbed' })
  for (const write of randomHistory(other, seed, count)) writer.append(write)
  await writer.flush()
  await writer.close()
  return other
}

test.each(['COMMIT', 'COPY swaps', 'UPDATE cursors'])(
  'behavior: the answer to %s is lost, the block is stored once',
  async (statement) => {
    const proxyDir = await createDataDir()
    const proxy = await startCuttingProxy(server.connection, proxyDir)
    const connection = { ...server.connection, host: proxy.socketDir }
    const proxied = await openStore({ connection, logger: silentLogger })
    const persisted: Cursor[] = []
    const writer = await proxied.openWriter({
      chainId,
      chain: 'local',
      limits,
      onPersisted: (cursor) => persisted.push(cursor),
    })
    const tape = createWriteSequence(chainId)
    writer.append(tape.commit({ events: [swapEvent(1, 0)] }))
    await writer.flush()
    proxy.loseAnswerTo(statement)
    writer.append(tape.commit({ events: [swapEvent(1, 0)] }))
    await writer.flush()
    expect(proxy.cutCount()).toBe(1)
    writer.append(tape.commit({ events: [swapEvent(1, 0)] }))
    await writer.flush()

    expect(persisted.map(({ seq }) => seq)).toEqual([1, 2, 3])
    const { swaps, log } = await dumpTables(server.connection, ['swaps', 'log'])
    expect([swaps!.length, log!.length]).toEqual([3, 3])
    await proxied.close()
    await proxy.close()
    await rm(proxyDir, { recursive: true, force: true })
  },
)

test.each(['COMMIT', 'COPY swaps'])(
  'behavior: %s itself is lost, the block is sent again',
  async (statement) => {
    const proxyDir = await createDataDir()
    const proxy = await startCuttingProxy(server.connection, proxyDir)
    const connection = { ...server.connection, host: proxy.socketDir }
    const proxied = await openStore({ connection, logger: silentLogger })
    const writer = await proxied.openWriter({ chainId, chain: 'local', limits })
    const tape = createWriteSequence(chainId)
    writer.append(tape.commit({ events: [swapEvent(1, 0)] }))
    await writer.flush()
    proxy.loseMessage(statement)
    writer.append(tape.commit({ events: [swapEvent(1, 0), swapEvent(2, 0)] }))
    await writer.flush()
    expect(proxy.cutCount()).toBe(1)
    const { swaps, log } = await dumpTables(server.connection, ['swaps', 'log'])
    expect([swaps!.length, log!.length]).toEqual([3, 2])
    await proxied.close()
    await proxy.close()
    await rm(proxyDir, { recursive: true, force: true })
  },
)

test('behavior: the connection is lost between two statements of a transaction', async () => {
  const head = { chainId, seq: 1, number: 1, hash: 'h', format: 1 }
  const ours = `FROM pg_stat_activity WHERE application_name = 'chaintape' AND state = 'idle in transaction'`
  async function* parts() {
    yield Buffer.from('a')
    await withClient(server.connection, async (client) => {
      const { rowCount } = await client.query(`SELECT pg_terminate_backend(pid) ${ours}`)
      expect(rowCount).toBe(1)
      await until('it is gone', async () => (await client.query(`SELECT ${ours}`)).rowCount === 0)
    })
    yield Buffer.from('b')
  }
  await expect(store.saveSnapshot(head, parts())).rejects.toThrow('connection')
  await store.saveSnapshot(head, [Buffer.from('c')])
  const { value } = await store.readSnapshots(chainId).next()
  expect(value).toMatchObject({ seq: 1, sizeBytes: 1 })
})

test('behavior: a session that ends while it is opened fails one statement and nothing else', async () => {
  const client = new StoreClient({
    ...server.connection,
    async check(session) {
      const { rows } = await session.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      const ended = new Promise((resolve) => client.once('end', resolve))
      await withClient(server.connection, (other) =>
        other.query('SELECT pg_terminate_backend($1)', [rows[0]!.pid]),
      )
      await ended
    },
  })
  await client.connect()
  await expect(client.query('SELECT 1')).rejects.toThrow(/connection/)
})

test('behavior: a stopped database fills the queue, and nothing is lost when it continues', async () => {
  const expected = await expectedDump(200, 3)
  const writer = await store.openWriter({
    chainId,
    chain: 'local',
    limits: { ...limits, queueBlocksMax: 50 },
  })
  const writes = randomHistory(chainId, 3, 200)
  const backends = await withClient(server.connection, async (client) => {
    const { rows } = await client.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE application_name = 'chaintape writer local'`,
    )
    return rows.map(({ pid }) => pid)
  })
  expect(backends).toHaveLength(1)
  process.kill(backends[0]!, 'SIGSTOP')
  let next = 0
  while (!writer.isFull()) writer.append(writes[next++]!)
  expect(next).toBe(50)
  expect(() => writer.append(writes[next]!)).toThrow('persistence queue')
  await until('a write is under way', () => writer.status().writingSinceMs !== null)
  expect(writer.status()).toMatchObject({ queuedBlocks: 50, isFull: true })
  // Readers use connections of their own, so they still work.
  expect(await store.loadCursor(chainId)).toMatchObject({ seq: 0 })

  process.kill(backends[0]!, 'SIGCONT')
  while (next < writes.length) {
    await until('there is room', () => !writer.isFull())
    writer.append(writes[next++]!)
  }
  await writer.flush()
  expect(await dumpChain(server.connection, chainId)).toEqual(
    await dumpChain(server.connection, expected),
  )
})

test('behavior: a database that is killed repeatedly loses nothing', async () => {
  const expected = await expectedDump(300, 5)
  const writer = await store.openWriter({
    chainId,
    chain: 'local',
    limits: { ...limits, batchBlocksMax: 5 },
  })
  const writes = randomHistory(chainId, 5, 300)
  let kills = 0
  for (const [index, write] of writes.entries()) {
    writer.append(write)
    if (index % 60 !== 30) continue
    // The first start may find backends of the killed server still running, and be repeated.
    await until('the server answers', isAnswering)
    process.kill(await clusterPid(), 'SIGKILL')
    kills += 1
    await until(
      'the writer notices',
      () => writer.status().lastError !== null || writer.status().queuedBlocks === 0,
    )
  }
  await writer.flush()
  expect(kills).toBe(5)
  expect(writer.status()).toMatchObject({ queuedBlocks: 0, lastError: null })
  expect(await dumpChain(server.connection, chainId)).toEqual(
    await dumpChain(server.connection, expected),
  )
})

test('error: a full disk ends the writer with a clear error', async () => {
  const errors: AppError[] = []
  const writer = await store.openWriter({
    chainId,
    chain: 'local',
    limits,
    onFatal: (error) => errors.push(error),
  })
  await withClient(server.connection, (client) =>
    client.query(`
      CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$;
      CREATE TRIGGER fill BEFORE UPDATE ON cursors FOR EACH ROW EXECUTE FUNCTION fill()`),
  )
  writer.append(createWriteSequence(chainId).commit())
  await expect(writer.flush()).rejects.toMatchObject({ code: 'STORE_DISK_FULL', retryable: false })
  expect(errors.map(({ code }) => code)).toEqual(['STORE_DISK_FULL'])
})

test('error: a damaged page ends the writer with a clear error', async () => {
  const writer = await store.openWriter({ chainId, chain: 'local', limits })
  const tape = createWriteSequence(chainId)
  writer.append(tape.commit())
  await writer.flush()
  await writer.close()
  const path = await withClient(server.connection, async (client) => {
    await client.query('CHECKPOINT')
    const { rows } = await client.query<{ path: string }>(
      `SELECT pg_relation_filepath('cursors') AS path`,
    )
    return rows[0]!.path
  })
  await store.close()
  await server.stop()
  const file = await open(join(dataDir, 'postgres', path), 'r+')
  await file.write(Buffer.alloc(64, 0xff), 0, 64, 8_192 - 128)
  await file.close()

  server = await startPrivatePostgres({ dataDir, logger: silentLogger })
  store = await openStore({ connection: server.connection, logger: silentLogger })
  await expect(store.openWriter({ chainId, chain: 'local' })).rejects.toMatchObject({
    code: 'STORE_CORRUPT',
    retryable: false,
  })
})
