// Writes snapshots: a second engine that reads the log and applies what is final, so that serving never stalls.
import { strict as assert } from 'node:assert'
import { parentPort, workerData } from 'node:worker_threads'
import { createLogger, type LogTerms } from '../../lib/logger.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { StoreConnection } from '../../store/connection.ts'
import { openStore } from '../../store/openStore.ts'
import { createSnapshotter, type Snapshotter } from './snapshotter.ts'

export type SnapshotThreadData = { connection: StoreConnection; log: LogTerms }

export type SnapshotOrder =
  | { type: 'take'; chains: readonly { chainId: number; profile: ChainProfile }[] }
  | { type: 'stop' }

export type SnapshotReport =
  | { type: 'taken'; chainId: number; chain: string; number: number; restMs: number }
  | { type: 'failed'; chain: string }

const { connection, log } = workerData as SnapshotThreadData
const port = parentPort
assert(port !== null, 'this file runs in a thread')
const logger = createLogger(log.level, log.look)
const store = await openStore({ connection, logger, limits: { readConnectionsMax: 1 } })
/** By chain id; of the chains in the newest order only. */
let snapshotters = new Map<number, { chain: string; snapshotter: Snapshotter }>()
let closed: Promise<void> | null = null
/** The round under way; an order that comes meanwhile is left to the next one. */
let round: Promise<void> | null = null

async function takeAll(): Promise<void> {
  let hasLetGo = false
  for (const [chainId, { chain, snapshotter }] of snapshotters) {
    try {
      const saved = await snapshotter.take()
      if (saved === null) continue
      const { number, restMs, isLetGo } = saved
      report({ type: 'taken', chainId, chain, number, restMs })
      hasLetGo ||= isLetGo
    } catch (error) {
      // The next one may do better; until then a start reads more of the log.
      logger.warn({ msg: 'Failed to take a snapshot', chain, err: error })
      report({ type: 'failed', chain })
    }
  }
  // Only the end of the thread is sure to give back what a large market took; the next round has a new one.
  if (hasLetGo) await close()
}

function report(message: SnapshotReport): void {
  port!.postMessage(message)
}

async function stop(): Promise<void> {
  await round
  await close()
}

function close(): Promise<void> {
  closed ??= store.close().then(() => port!.close())
  return closed
}

port.on('message', (order: SnapshotOrder) => {
  if (order.type === 'stop') return void stop()
  if (round !== null) return
  snapshotters = new Map(
    order.chains.map(({ chainId, profile }) => [
      chainId,
      snapshotters.get(chainId) ?? {
        chain: profile.name,
        snapshotter: createSnapshotter({ chainId, profile, store, logger }),
      },
    ]),
  )
  round = takeAll().finally(() => {
    round = null
  })
})
