// Stores a large market as an indexer leaves it: a snapshot in the database, later entries in the
// log on NATS and in the database, the newest ones only in the log. Runs as a separate process
// because creating such a market needs a larger heap than Node's default; loading it does not.
import { fileURLToPath } from 'node:url'
import { openNatsWriter } from '../../packages/server/src/app/chain/chainLogs.ts'
import { createEngine, type Engine } from '../../packages/server/src/engine/engine.ts'
import { snapshotFormat } from '../../packages/server/src/engine/snapshot/snapshotChanges.ts'
import { openNatsLogWriter } from '../../packages/server/src/log/nats/natsLogWriter.ts'
import { connectNats, type NatsServer } from '../../packages/server/src/log/nats/natsServer.ts'
import { openNatsStream } from '../../packages/server/src/log/nats/natsStream.ts'
import type { BlockWrite, Cursor } from '../../packages/server/src/store/blockWrite.ts'
import { openStore, type Store } from '../../packages/server/src/store/openStore.ts'
import { silentLogger, type TestConnection } from '../../test/support/postgres.ts'
import { blocksAfter, type KnownSizes, knownProfile } from '../known/market.ts'
import { applyAndWrite, fillEngine, moveCursor } from '../known/storedMarket.ts'
import { runInChildProcess } from '../runInChildProcess.ts'

type Question = {
  connection: TestConnection
  natsUrls: readonly string[]
  sizes: KnownSizes
  /** Number of entries after the snapshot, and of the newest ones that are only in the log. */
  entries: number
  unstored: number
}

export type StoredKnown = {
  chainId: number
  snapshotSeq: number
  snapshotBytes: number
  encodeMs: number
  saveMs: number
  /** Number of the newest block in the log. */
  newestNumber: number
}

export async function storeKnown(question: Question): Promise<StoredKnown> {
  return await runInChildProcess(fileURLToPath(import.meta.url), [JSON.stringify(question)])
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.send?.(await store(JSON.parse(process.argv[2]!)))
}

async function store(question: Question): Promise<StoredKnown> {
  const { connection, natsUrls, sizes, entries } = question
  const engine = createEngine({ profile: knownProfile })
  const cursor = fillEngine(engine, sizes)
  const number = cursor.seq
  const store = await openStore({ connection, logger: silentLogger })
  const chainId = await store.ensureChain(knownProfile.name)
  const saved = await saveSnapshot(store, engine, { chainId, ...cursor })
  await moveCursor(connection, chainId, cursor)
  const server = await connectNats({ urls: natsUrls, streamBytesMax: 1e10, prefix: 'chaintape' })
  const writes = [...blocksAfter(number, entries, sizes)].map((block, index) =>
    applyAndWrite(engine, block, { chainId, expectedSeq: number + index }),
  )
  await append(store, server, writes, question)
  await server.close()
  await store.close()
  return { chainId, snapshotSeq: number, ...saved, newestNumber: engine.head()!.number }
}

async function saveSnapshot(store: Store, engine: Engine, head: Cursor & { chainId: number }) {
  const startMs = performance.now()
  const parts = [...engine.snapshot()]
  const encodedMs = performance.now()
  await store.saveSnapshot({ ...head, format: snapshotFormat }, parts)
  const savedMs = performance.now()
  return {
    snapshotBytes: parts.reduce((sum, { length }) => sum + length, 0),
    encodeMs: encodedMs - startMs,
    saveMs: savedMs - encodedMs,
  }
}

/** Appends entries with the service's own writers. */
async function append(
  store: Store,
  server: NatsServer,
  writes: readonly BlockWrite[],
  { unstored }: Question,
): Promise<void> {
  const { name: chain } = knownProfile
  const { chainId, expectedSeq } = writes[0]!
  const storedCount = writes.length - unstored
  const terms = { chainId, chain, logger: silentLogger, profile: knownProfile }
  const stored = await openNatsWriter({ ...terms, store, server, warmMarkets: new Map() })
  for (const write of writes.slice(0, storedCount)) stored.append(write)
  await stored.flush()
  await stored.close()
  const log = await openNatsLogWriter({
    stream: openNatsStream(server, chainId),
    chain,
    logger: silentLogger,
    storedSeq: expectedSeq + storedCount,
    spentSeq: async () => 0,
  })
  for (const write of writes.slice(storedCount)) log.append(write)
  await log.flush()
  log.close()
}
