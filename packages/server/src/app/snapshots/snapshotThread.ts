// Worker that writes snapshots. It applies final log entries to a second engine, so that serving
// never stalls.
import { strict as assert } from 'node:assert'
import { parentPort, workerData } from 'node:worker_threads'
import { createLogger, type LoggerOptions } from '../../lib/logger.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { StoreConnection } from '../../store/connection.ts'
import { openStore } from '../../store/openStore.ts'
import { serveCalls } from '../threads/threadCalls.ts'
import { createSnapshotter, type Snapshotter, writeImageOfNewest } from './snapshotter.ts'

export type SnapshotThreadData = { connection: StoreConnection; log: LoggerOptions }

const { connection, log } = workerData as SnapshotThreadData
assert(parentPort !== null, 'this file runs in a thread')
const logger = createLogger(log.level, log.look)
const store = await openStore({ connection, logger, limits: { readConnectionsMax: 1 } })
/** Snapshotters by chain id. */
const snapshotters = new Map<number, Snapshotter>()

const handlers = {
  take({ chainId, profile }: { chainId: number; profile: ChainProfile }) {
    const snapshotter =
      snapshotters.get(chainId) ?? createSnapshotter({ chainId, profile, store, logger })
    snapshotters.set(chainId, snapshotter)
    return snapshotter.take()
  },
  writeImage: ({ chainId, profile }: { chainId: number; profile: ChainProfile }) =>
    writeImageOfNewest({ chainId, profile, store, logger }),
  /** Releases the engines of all other chains. */
  keep(chainIds: readonly number[]): void {
    for (const chainId of snapshotters.keys())
      if (!chainIds.includes(chainId)) snapshotters.delete(chainId)
  },
}

export type SnapshotThreadHandlers = typeof handlers

serveCalls(parentPort, handlers, store.close)
