import { Worker } from 'node:worker_threads'
import type { Config } from '../../config/schema/schema.ts'
import { type Logger, logTermsOf } from '../../lib/logger.ts'
import type { Metrics } from '../../lib/metrics.ts'
import { endThread } from '../../lib/shutdown.ts'
import type { StoreConnection } from '../../store/connection.ts'
import type { Chains } from '../chains/chains.ts'
import type {
  OrderedChain,
  SnapshotOrder,
  SnapshotReport,
  SnapshotThreadData,
} from './snapshotThread.ts'

export type SnapshotsOptions = {
  config: Config
  chains: Chains
  connection: StoreConnection
  metrics: Pick<Metrics, 'snapshotBlock' | 'snapshotFailuresTotal'>
  logger: Logger
}

/** Runs the thread that takes snapshots of every chain now and then. */
export function startSnapshots(options: SnapshotsOptions) {
  const { config, chains } = options
  /** By chain id: until when it takes more than it gives to save the next one. */
  const restsUntilMs = new Map<number, number>()
  let worker: Worker | null = null

  function startThread(): Worker {
    const thread = openThread(options, ({ chainId, restMs }) => {
      restsUntilMs.set(chainId, performance.now() + restMs)
    })
    // Without snapshots the log would grow for ever: the next round has a new one.
    thread.once('exit', () => {
      worker = null
    })
    return thread
  }

  const timer = setInterval(() => {
    // Asked for each time: a local chain that starts again is another chain.
    const all = [...chains.list(), ...chains.readers()].map(
      ({ chainId, gatewayChain: { profile } }) => ({ chainId, profile }),
    )
    const order = snapshotOrder(all, restsUntilMs, performance.now())
    if (order === null) return
    worker ??= startThread()
    worker.postMessage(order)
  }, config.fixed.snapshot_every_ms)
  return {
    async stop() {
      clearInterval(timer)
      if (worker !== null) await endThread(worker, { type: 'stop' } satisfies SnapshotOrder)
    },
  }
}

type TakeOrder = Extract<SnapshotOrder, { type: 'take' }>

/** Null: there is nothing to do. */
export function snapshotOrder(
  chains: readonly Omit<OrderedChain, 'isResting'>[],
  restsUntilMs: ReadonlyMap<number, number>,
  nowMs: number,
): TakeOrder | null {
  const ordered = chains.map((chain) => ({
    ...chain,
    isResting: nowMs < (restsUntilMs.get(chain.chainId) ?? 0),
  }))
  return ordered.every(({ isResting }) => isResting) ? null : { type: 'take', chains: ordered }
}

type Taken = Extract<SnapshotReport, { type: 'taken' }>

function openThread(
  { connection, metrics, logger }: SnapshotsOptions,
  onTaken: (taken: Taken) => void,
): Worker {
  const data: SnapshotThreadData = { connection, log: logTermsOf(logger) }
  const thread = new Worker(new URL('./snapshotThread.js', import.meta.url), { workerData: data })
  thread.on('error', (error) => {
    metrics.snapshotFailuresTotal.inc()
    logger.error({ msg: 'The thread of snapshots ended', err: error })
  })
  thread.on('message', (report: SnapshotReport) => {
    if (report.type === 'failed') return metrics.snapshotFailuresTotal.inc()
    metrics.snapshotBlock.set({ chain: report.chain }, report.number)
    onTaken(report)
  })
  return thread
}
