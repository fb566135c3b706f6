import { Worker } from 'node:worker_threads'
import type { Config } from '../config/schema.ts'
import type { Logger, LogLevel } from '../lib/logger.ts'
import type { StoreConnection } from '../store/connection.ts'
import type { Chains } from './chains.ts'
import { endThread } from './endThread.ts'
import type { SnapshotOrder, SnapshotThreadData } from './snapshotThread.ts'

export type SnapshotsOptions = {
  config: Config
  chains: Chains
  connection: StoreConnection
  logger: Logger
}

/** Runs the thread that takes snapshots of every chain now and then. */
export function startSnapshots({ config, chains, connection, logger }: SnapshotsOptions) {
  const data: SnapshotThreadData = { connection, logLevel: config.log.level as LogLevel }
  const worker = new Worker(new URL('./snapshotThread.js', import.meta.url), { workerData: data })
  worker.on('error', (error) => logger.error({ msg: 'Snapshots ended', err: error }))
  // Asked for each time: a local chain that starts anew is another chain.
  const timer = setInterval(() => {
    const list = chains.list().map(({ chainId, gatewayChain: { profile } }) => ({
      chainId,
      profile,
    }))
    worker.postMessage({ type: 'take', chains: list } satisfies SnapshotOrder)
  }, config.limits.snapshot_every_ms)
  return {
    async stop() {
      clearInterval(timer)
      await endThread(worker, { type: 'stop' } satisfies SnapshotOrder)
    },
  }
}
