// Writes snapshots: a second engine that reads the log and applies what is final, so that serving never stalls.
import { strict as assert } from 'node:assert'
import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { createLogger, type LogLevel } from '../lib/logger.ts'
import type { ChainProfile } from '../model/chainProfile.ts'
import type { StoreConnection } from '../store/connection.ts'
import { openStore } from '../store/openStore.ts'
import { createSnapshotter } from './snapshotter.ts'

export type SnapshotThreadData = {
  chains: readonly { chainId: number; profile: ChainProfile }[]
  connection: StoreConnection
  everyMs: number
  logLevel: LogLevel
}

const { chains, connection, everyMs, logLevel } = workerData as SnapshotThreadData
const port = parentPort
assert(port !== null, 'this file runs in a thread')
const logger = createLogger(logLevel)
const stopping = new AbortController()
port.once('message', () => stopping.abort())

const store = await openStore({ connection, logger, limits: { readConnectionsMax: 1 } })
const snapshotters = chains.map((chain) => createSnapshotter({ ...chain, store, logger }))
while (!stopping.signal.aborted) {
  await delay(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined)
  if (stopping.signal.aborted) break
  for (const snapshotter of snapshotters) {
    try {
      await snapshotter.take()
    } catch (error) {
      // The next one may do better; until then a start reads more of the log.
      logger.warn({ msg: 'Failed to take a snapshot', err: error })
    }
  }
}
await store.close()
port.close()
