import { Worker } from 'node:worker_threads'
import type { Config } from '../../config/schema/schema.ts'
import { type Logger, logTermsOf } from '../../lib/logger.ts'
import type { Metrics } from '../../lib/metrics.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { StoreConnection } from '../../store/connection.ts'
import type { Chains } from '../chains/chains.ts'
import type { SnapshotHandlers, SnapshotThreadData } from './snapshotThread.ts'
import { createThread, type Thread } from './threadCalls.ts'

export type SnapshotsOptions = {
  config: { fixed: Pick<Config['fixed'], 'snapshot_every_ms'> }
  chains: Pick<Chains, 'list' | 'readers'>
  connection: StoreConnection
  metrics: Pick<Metrics, 'snapshotBlock' | 'snapshotFailuresTotal'>
  logger: Logger
  /** @default a thread of this program */
  thread?: Thread<SnapshotHandlers> | undefined
  /** @default performance.now */
  nowMs?: (() => number) | undefined
}

/** Has a thread take snapshots of every chain now and then. */
export function startSnapshots(options: SnapshotsOptions) {
  const { config, chains, metrics, logger, nowMs = () => performance.now() } = options
  const thread = options.thread ?? openThread(options)
  /** By chain id: until when it takes more than it gives to save the next one. */
  const restsUntilMs = new Map<number, number>()
  let isTaking = false
  let isStopped = false

  /** Returns whether the thread released a large market. */
  async function take(chainId: number, profile: ChainProfile): Promise<boolean> {
    const { name: chain } = profile
    try {
      const { saved, isLetGo } = await thread.ask('take', { chainId, profile })
      if (saved !== null) {
        metrics.snapshotBlock.set({ chain }, saved.number)
        restsUntilMs.set(chainId, nowMs() + saved.restMs)
      }
      return isLetGo
    } catch (error) {
      if (isStopped) return false
      // The next one may do better; until then a start reads more of the log.
      logger.warn({ msg: 'Failed to take a snapshot', chain, err: error })
      metrics.snapshotFailuresTotal.inc()
      return false
    }
  }

  async function takeAll(): Promise<void> {
    let hasLetGo = false
    // Asked for each time: a local chain that starts again is another chain.
    const all = [...chains.list(), ...chains.readers()]
    const chainIds = all.map(({ chainId }) => chainId)
    thread.send('keep', chainIds)
    for (const { chainId, gatewayChain } of all) {
      const isResting = nowMs() < (restsUntilMs.get(chainId) ?? 0)
      if (!isResting && !isStopped && (await take(chainId, gatewayChain.profile))) hasLetGo = true
    }
    // Only the end of the thread is sure to give back what a large market took; the next round has a new one.
    if (hasLetGo) await thread.end()
  }

  /** A round, unless one is under way. */
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

function openThread({ connection, logger }: SnapshotsOptions): Thread<SnapshotHandlers> {
  const workerData: SnapshotThreadData = { connection, log: logTermsOf(logger) }
  return createThread({
    name: 'snapshots',
    start: () => new Worker(new URL('./snapshotThread.js', import.meta.url), { workerData }),
    logger,
  })
}
