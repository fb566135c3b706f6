import { Worker } from 'node:worker_threads'
import type { Config } from '../../config/schema/schema.ts'
import { type Logger, loggerOptionsOf } from '../../lib/logger.ts'
import type { Metrics } from '../../lib/metrics.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { StoreConnection } from '../../store/connection.ts'
import { createThread, type Thread } from '../threads/threadCalls.ts'
import type { SnapshotThreadData, SnapshotThreadHandlers } from './snapshotThread.ts'

export type SnapshotChain = { chainId: number; gatewayChain: { profile: ChainProfile } }

export type SnapshotsOptions = {
  config: { fixed: Pick<Config['fixed'], 'snapshot_every_ms'> }
  /** Saves snapshots, or writes images of those that another process saved. @default 'take' */
  work?: 'take' | 'writeImage' | undefined
  chains: { list(): readonly SnapshotChain[]; readers(): readonly SnapshotChain[] }
  connection: StoreConnection
  metrics: Pick<Metrics, 'snapshotBlock' | 'snapshotFailuresTotal'>
  logger: Logger
  /** @default the worker of this program */
  thread?: Thread<SnapshotThreadHandlers> | undefined
  /** Monotonic clock in milliseconds. @default performance.now */
  nowMs?: (() => number) | undefined
}

/** Saves snapshots of every chain periodically, or images of them, in a worker. */
export function startSnapshots(options: SnapshotsOptions) {
  const {
    config,
    work = 'take',
    chains,
    metrics,
    logger,
    nowMs = () => performance.now(),
  } = options
  const thread = options.thread ?? openThread(options)
  /** Chain id → time until which no snapshot is taken, because the last one was expensive. */
  const restsUntilMs = new Map<number, number>()
  let isTaking = false
  let isStopped = false

  /** Returns whether the worker released a large market. */
  async function take(chainId: number, profile: ChainProfile): Promise<boolean> {
    const { name: chain } = profile
    try {
      const { saved, isReleased } = await thread.call(work, { chainId, profile })
      if (saved !== null) {
        metrics.snapshotBlock.set({ chain }, saved.number)
        restsUntilMs.set(chainId, nowMs() + saved.restMs)
      }
      return isReleased
    } catch (error) {
      if (isStopped) return false
      // Retried in the next round; until then a restart only reads more of the log.
      logger.warn({ msg: 'Failed to take a snapshot', chain, err: error })
      metrics.snapshotFailuresTotal.inc()
      return false
    }
  }

  async function takeAll(): Promise<void> {
    let hasReleased = false
    // List the chains in each round: a restarted local chain has another id.
    const all = [...chains.list(), ...chains.readers()]
    const chainIds = all.map(({ chainId }) => chainId)
    thread.send('keep', chainIds)
    for (const { chainId, gatewayChain } of all) {
      const isResting = nowMs() < (restsUntilMs.get(chainId) ?? 0)
      if (!isResting && !isStopped && (await take(chainId, gatewayChain.profile)))
        hasReleased = true
    }
    // Only ending the worker reliably frees the memory of a large market; the next round starts
    // another.
    if (hasReleased) await thread.end()
  }

  /** Runs a round, unless the previous round is still running. */
  async function next(): Promise<void> {
    if (isTaking) return
    isTaking = true
    await takeAll()
    isTaking = false
  }

  const timer = setInterval(() => void next(), config.fixed.snapshot_every_ms)
  return {
    next,
    async stop() {
      clearInterval(timer)
      isStopped = true
      await thread.close()
    },
  }
}

function openThread({ connection, logger }: SnapshotsOptions): Thread<SnapshotThreadHandlers> {
  const workerData: SnapshotThreadData = { connection, log: loggerOptionsOf(logger) }
  return createThread({
    name: 'snapshots',
    start: () => new Worker(new URL('./snapshotThread.js', import.meta.url), { workerData }),
    logger,
  })
}
