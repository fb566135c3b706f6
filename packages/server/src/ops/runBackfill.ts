import { mkdir } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { openChainLogs } from '../app/chain/chainLogs.ts'
import type { ChainRuntime } from '../app/chain/chainRuntime.ts'
import { openDatabase, storeLimitsOf } from '../app/openDatabase.ts'
import type { PipelineProgress } from '../app/pipeline/chainPipeline.ts'
import { type Chains, createChains } from '../app/roles/chains.ts'
import { claimChainsByName } from '../app/roles/claimedChains.ts'
import { createSnapshotter } from '../app/snapshots/snapshotter.ts'
import { startSnapshots } from '../app/snapshots/startSnapshots.ts'
import type { Config } from '../config/schema/schema.ts'
import type { BackfillState, ChainStatus } from '../gateway/chain/gatewayChain.ts'
import type { AppError } from '../lib/errors.ts'
import type { Logger } from '../lib/logger.ts'
import { createMetrics } from '../lib/metrics.ts'
import { createShutdown } from '../lib/shutdown.ts'
import { blockNumberDistance, lowestNumberAfter } from '../model/block.ts'
import { claimChains } from '../store/chainLease.ts'
import { openStore, type Store } from '../store/openStore.ts'
import { BackfillStartError } from './errors.ts'

/** Progress of one chain's backfill. */
export type BackfillProgress = {
  chain: string
  fromBlock: number
  /** Number after the newest applied block. */
  nextBlock: number
  /** Last block of this backfill. */
  toBlock: number
  /** Market events of this run. */
  eventCount: number
  /** Block numbers this run has covered. A resumed backfill starts above `fromBlock`. */
  blockCount: number
  /** What the backfill waits for, as text. @default null: nothing */
  waitsFor?: string | null | undefined
}

export type BackfillOptions = {
  logger: Logger
  signal: AbortSignal
  /** Chains to backfill; undefined: all. */
  chains?: readonly string[] | undefined
  /** Deletes the stored data of these chains first. @default false */
  isAgain?: boolean | undefined
  onProgress(progress: BackfillProgress): void
}

const progressEveryMs = 200
// Below this, reading the log at the next start takes only seconds; a snapshot would cost as much
// as it saves.
const snapshotBlocksMin = 50_000

/**
 * Indexes the configured chains up to the heads reported first, including configured history,
 * stores everything, and ends.
 */
export async function runBackfill(config: Config, options: BackfillOptions): Promise<void> {
  const { logger, signal } = options
  const parts = createShutdown({ logger, graceMs: config.fixed.stop_ms_max })
  let failure: AppError | null = null
  try {
    await mkdir(config.data_dir, { recursive: true, mode: 0o700 })
    const onFatal = (error: AppError) => {
      failure ??= error
    }
    const database = await openDatabase(config, { logger, onFatal })
    parts.add('database', database.stop)
    const { connection } = database
    const wanted = options.chains ?? Object.keys(config.chains)
    const entries = Object.entries(config.chains).filter(([name]) => wanted.includes(name))
    const claim = await claimChains(connection, claimChainsByName(entries.map(([name]) => name)))
    parts.add('claim', claim.release)
    const plain = await openStore({ connection, logger, limits: storeLimitsOf(config) })
    parts.add('store', plain.close)
    const { store, close } = await openChainLogs(config, plain, logger, new Map())
    parts.add('logs', close)
    if (options.isAgain)
      for (const [name, { start_block }] of entries)
        await deleteStoredChain(store, name, start_block, options)
    for (const [name, chain] of entries) await checkStart(store, name, chain)
    const metrics = createMetrics()
    const chains = createChains({
      config: { ...config, chains: Object.fromEntries(entries) },
      store,
      database,
      logger,
      metrics,
      gatewayChains: new Map(),
      // No client resumes a stream from a backfill.
      recentLimits: { recentBlocksMax: 0 },
      onFatal,
    })
    parts.add('chains', chains.stop)
    await chains.start()
    await claim.release()
    parts.add('snapshots', startSnapshots({ config, chains, connection, metrics, logger }).stop)
    const backfills = entries.map(([name]) => createBackfill(name, chains))
    while (!signal.aborted && failure === null) {
      for (const backfill of backfills) backfill.report(options.onProgress)
      if (backfills.every((backfill) => backfill.isDone())) break
      await delay(progressEveryMs, undefined, { signal }).catch(() => undefined)
    }
    // Report once more what was done since the last look, so that progress ends at 100 %.
    for (const backfill of backfills) backfill.report(options.onProgress)
    const long = backfills.filter((backfill) => backfill.blockCount() >= snapshotBlocksMin)
    for (const backfill of long) {
      const chain = backfill.chain()
      if (chain === undefined || signal.aborted || failure !== null) break
      await createSnapshotter({ ...chain, store, logger })
        .take()
        // A failed snapshot loses nothing: the next start only reads more of the log.
        .catch((err: unknown) => logger.warn({ msg: 'Failed to take a snapshot', err }))
    }
  } finally {
    await parts.stop('end')
  }
  if (failure !== null) throw failure
}

/**
 * Deletes the chain's stored data, unless its start block is `latest` and the data could not be
 * read again.
 */
async function deleteStoredChain(
  store: Pick<Store, 'findChain' | 'dropChain'>,
  chain: string,
  startBlock: number | 'latest',
  { logger, signal }: BackfillOptions,
): Promise<void> {
  if (startBlock === 'latest') throw new BackfillStartError({ chain })
  const chainId = await store.findChain(chain)
  if (chainId === null || signal.aborted) return
  logger.warn({ msg: 'Deleting stored data of a chain to index it again', chain })
  await store.dropChain(chainId, { signal })
}

/** Throws if the chain would start at its newest block, where nothing is left to backfill. */
async function checkStart(
  store: Pick<Store, 'ensureChain' | 'loadCursor'>,
  chain: string,
  { start_block: startBlock, history }: Config['chains'][string],
): Promise<void> {
  const { seq } = await store.loadCursor(await store.ensureChain(chain))
  if (seq === 0 && startBlock === 'latest' && history.from === undefined)
    throw new BackfillStartError({ chain })
}

/**
 * Returns what the backfill waits for. Of several reasons, the one that an operator should fix
 * first.
 */
export function waitReason(
  {
    rpcError,
    databaseError,
    pausedReason,
  }: Pick<ChainStatus, 'rpcError' | 'databaseError' | 'pausedReason'>,
  endpoints: PipelineProgress['endpoints'],
): string | null {
  if (rpcError !== null) return `a node: ${rpcError}`
  if (databaseError !== null) return `the database: ${databaseError}`
  if (pausedReason !== null) return pausedReason
  const slow = endpoints.filter(({ rateWaitMs = 0 }) => rateWaitMs > 0).map(({ name }) => name)
  // Only if every endpoint is at its rate limit, the limit is what the backfill waits for.
  if (slow.length === 0 || slow.length < endpoints.length) return null
  return `requests_per_second_max of ${slow.join(', ')}`
}

function createBackfill(name: string, chains: Pick<Chains, 'list'>) {
  /**
   * Finds the current runtime. A deep reorg replaces it, and in between the chain has no runtime.
   */
  const find = () => chains.list().find(({ gatewayChain }) => gatewayChain.profile.name === name)
  const nextBlockOf = ({ engine }: ChainRuntime) => lowestNumberAfter(engine.head()?.number ?? -1)
  let firstBlock: number | null = null
  /** Head that the nodes reported first; later blocks are left to the running service. */
  let toBlock: number | null = null
  /**
   * Block numbers covered at the head of the chain. A resumed backfill starts above `fromBlock`.
   */
  let blockCount = 0
  /** Block numbers covered before the first stored block, or read again. */
  let pastCount = 0

  return {
    chain() {
      const runtime = find()
      return runtime && { chainId: runtime.chainId, profile: runtime.gatewayChain.profile }
    },
    blockCount: () => blockCount + pastCount,
    report(onProgress: (progress: BackfillProgress) => void): void {
      const runtime = find()
      if (runtime === undefined) return
      const nextBlock = nextBlockOf(runtime)
      firstBlock ??= nextBlock
      const progress = runtime.progress()
      if (progress === null || progress.headNumber < 0) return
      toBlock ??= progress.headNumber
      const fromBlock = progress.startNumber
      const status = runtime.gatewayChain.status()
      const reading = status.past?.progress ?? null
      if (reading === null)
        blockCount = blockNumberDistance(Math.max(firstBlock, fromBlock), nextBlock)
      else pastCount = blockNumberDistance(reading.fromNumber, reading.nextNumber)
      const place = reading === null ? { fromBlock, nextBlock, toBlock } : placeOf(reading, toBlock)
      const waitsFor = reading?.pausedReason ?? waitReason(status, progress.endpoints)
      const counts = { eventCount: runtime.eventCount(), blockCount: blockCount + pastCount }
      onProgress({ chain: name, ...place, ...counts, waitsFor })
    },
    isDone() {
      const status = find()?.gatewayChain.status()
      const persistedNumber = status?.persistedNumber ?? null
      if (toBlock === null || persistedNumber === null || persistedNumber < toBlock) return false
      return !needsBackfill(status!)
    },
  }
}

function placeOf({ fromNumber, nextNumber, toNumber }: BackfillState, toBlock: number) {
  return { fromBlock: fromNumber, nextBlock: nextNumber, toBlock: toNumber ?? toBlock }
}

/**
 * Returns whether the chain's history must still begin earlier, or has untrue blocks to read again.
 */
export function needsBackfill({
  past,
  history: { firstNumber },
  doubtful,
}: Pick<ChainStatus, 'past' | 'history' | 'doubtful'>): boolean {
  if (!past) return false
  const { wantedNumber, progress } = past
  if (progress !== null || wantedNumber === undefined || (doubtful?.untrueCount ?? 0) > 0)
    return true
  return wantedNumber !== null && firstNumber !== null && wantedNumber < firstNumber
}
