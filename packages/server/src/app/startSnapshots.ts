import { Worker } from 'node:worker_threads'
import type { Config } from '../config/schema.ts'
import type { Logger, LogLevel } from '../lib/logger.ts'
import type { StoreConnection } from '../store/connection.ts'
import type { Chains } from './chains.ts'
import type { SnapshotThreadData } from './snapshotThread.ts'

export type SnapshotsOptions = {
  config: Config
  chains: Chains
  connection: StoreConnection
  logger: Logger
}

/** Runs the thread that takes snapshots of every chain now and then. */
export function startSnapshots({ config, chains, connection, logger }: SnapshotsOptions) {
  const data: SnapshotThreadData = {
    chains: chains.list().map(({ chainId, gatewayChain: { profile } }) => ({ chainId, profile })),
    connection,
    everyMs: config.limits.snapshot_every_ms,
    logLevel: config.log.level as LogLevel,
  }
  const worker = new Worker(new URL('./snapshotThread.js', import.meta.url), { workerData: data })
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  worker.on('error', (error) => logger.error({ msg: 'Snapshots ended', err: error }))
  return {
    async stop() {
      worker.postMessage('stop')
      await ended
    },
  }
}
