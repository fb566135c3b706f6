// Writes snapshots: a second engine that reads the log and applies what is final, so that serving never stalls.
import { strict as assert } from 'node:assert'
import { parentPort, workerData } from 'node:worker_threads'
import { createLogger, type LogTerms } from '../../lib/logger.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { StoreConnection } from '../../store/connection.ts'
import { openStore } from '../../store/openStore.ts'
import { createSnapshotter, type Snapshotter } from './snapshotter.ts'

export type SnapshotThreadData = { connection: StoreConnection; log: LogTerms }

export type OrderedChain = {
  chainId: number
  profile: ChainProfile
  /** What is known of it is kept for the next time. */
  isResting: boolean
}

export type SnapshotOrder = { type: 'take'; chains: readonly OrderedChain[] } | { type: 'stop' }

export type SnapshotReport =
  | { type: 'taken'; chainId: number; chain: string; number: number; restMs: number }
  | { type: 'failed'; chain: string }

const { connection, log } = workerData as SnapshotThreadData
const port = parentPort
assert(port !== null, 'this file runs in a thread')
const logger = createLogger(log.level, log.look)
const store = await openStore({ connection, logger, limits: { readConnectionsMax: 1 } })
type OrderedSnapshots = { chain: string; snapshotter: Snapshotter; isResting: boolean }

/** By chain id; of the chains in the newest order only. */
let ordered = new Map<number, OrderedSnapshots>()
let closed: Promise<void> | null = null
/** The round under way; an order that comes meanwhile is left to the next one. */
let round: Promise<void> | null = null

async function takeAll(): Promise<void> {
  let hasLetGo = false
  for (const [chainId, { chain, snapshotter, isResting }] of ordered) {
    if (isResting) continue
    try {
      const { saved, isLetGo } = await snapshotter.take()
      if (saved !== null) report({ type: 'taken', chainId, chain, ...saved })
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
  ordered = new Map(
    order.chains.map(({ chainId, profile, isResting }) => {
      const snapshotter =
        ordered.get(chainId)?.snapshotter ?? createSnapshotter({ chainId, profile, store, logger })
      return [chainId, { chain: profile.name, snapshotter, isResting }]
    }),
  )
  round = takeAll().finally(() => {
    round = null
  })
})
