// Leaves a large market in a data directory like a stopped service: a snapshot in its database and
// an image beside it. Runs as a separate process, because creating such a market leaves much of it
// in memory.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadSnapshotEngine } from '../../packages/server/src/app/snapshots/loadEngine.ts'
import { writeMarketImage } from '../../packages/server/src/app/snapshots/marketImages.ts'
import { snapshotFormat } from '../../packages/server/src/engine/snapshot/snapshotChanges.ts'
import { createLogger } from '../../packages/server/src/lib/logger.ts'
import type { Cursor } from '../../packages/server/src/store/blockWrite.ts'
import { openStore } from '../../packages/server/src/store/openStore.ts'
import { startPrivatePostgres } from '../../packages/server/src/store/postgres/privatePostgres.ts'
import { runInChildProcess } from '../runInChildProcess.ts'
import { type KnownSizes, knownProfile, quietBlock } from './market.ts'
import { applyAndWrite, fillEngine, moveCursor } from './storedMarket.ts'

// Values as a config file produces them: the image must match the config.
const coin = `0x${'0'.repeat(40)}`
const { native, quotes } = knownProfile
const profile = { ...knownProfile, native: { ...native, coin }, quotes: [...quotes, coin] }

/** `endS`: unix seconds of the last block. */
type Question = { dataDir: string; sizes: KnownSizes; endS: number }

/** Stores the market. Returns its head. */
export async function storeWithImage(question: Question): Promise<Cursor> {
  return await runInChildProcess(fileURLToPath(import.meta.url), [JSON.stringify(question)])
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.send?.(await store(JSON.parse(process.argv[2]!)))
}

async function store({ dataDir, sizes, endS }: Question): Promise<Cursor> {
  const logger = createLogger('warn')
  const server = await startPrivatePostgres({ dataDir, logger })
  const { connection } = server
  const store = await openStore({ connection, logger })
  const chainId = await store.ensureChain(knownProfile.name)
  const paging = { directory: join(dataDir, 'pages'), bytesMax: sizes.memory }
  const owner = { chainId, profile: { ...profile, paging } }
  const { engine } = await loadSnapshotEngine(store, chainId, owner, logger)
  const cursor = fillEngine(engine, sizes, endS)
  const image = await writeMarketImage(owner, engine.image(), logger)
  const place = { chainId, ...cursor, format: snapshotFormat }
  const { digest } = await store.saveSnapshot(place, engine.snapshot())
  await image!.publish({ seq: cursor.seq, digest })
  await moveCursor(connection, chainId, cursor)
  // Makes the chain resume after the newest block of its log.
  const writer = await store.openWriter({ chainId, chain: profile.name })
  const newest = applyAndWrite(engine, quietBlock(cursor.seq, endS), {
    chainId,
    expectedSeq: cursor.seq,
  })
  writer.append(newest)
  await writer.flush()
  await writer.close()
  await store.close()
  await server.stop()
  return { seq: cursor.seq + 1, ...newest.headAfter }
}
