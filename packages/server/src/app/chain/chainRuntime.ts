import type { Ancestor } from '../../chain/errors.ts'
import type { Engine } from '../../engine/engine.ts'
import type { ChainStatus, GatewayChain } from '../../gateway/chain/gatewayChain.ts'
import type { RecentBlocksOptions } from '../../gateway/chain/recentBlocks.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import type { AppError } from '../../lib/errors.ts'
import { type Logger, loggerOptionsOf } from '../../lib/logger.ts'
import type { Metrics } from '../../lib/metrics.ts'
import { LogGapError } from '../../log/errors.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { NativeUsdPrice } from '../../model/finishedBlock.ts'
import type { EntryConsumer } from '../../model/logEntry.ts'
import { nonFinalBlocksMaxOf } from '../../model/trust/finality.ts'
import type { RiskLimits } from '../../risk/riskChecker.ts'
import type { Cursor } from '../../store/blockWrite.ts'
import type { BlockWriterLimits } from '../../store/blockWriter.ts'
import type { StoreConnection } from '../../store/connection.ts'
import type { Store } from '../../store/openStore.ts'
import type { StoredCursor } from '../../store/read/chains.ts'
import type { Retention } from '../../store/retention.ts'
import { ChainStoppedError } from '../errors.ts'
import type { PipelineProgress } from '../pipeline/chainPipeline.ts'
import { createEngineSeedSource, type EngineSeedSource } from '../pipeline/engineSeed.ts'
import { unverifiedBlocksMax } from '../pipeline/verifyBlocks.ts'
import type { ChainThreadData } from '../threads/chainThread.ts'
import { type ChainThread, startChainThread } from '../threads/startChainThread.ts'
import { createEntryApplier } from './applyEntries.ts'
import { createMarketMetrics, createProgressMetrics } from './chainMetrics.ts'
import {
  chainStatusOf,
  createHeadWatch,
  type HeadLimits,
  type ReadinessLimits,
} from './chainStatus.ts'
import { entriesAheadMaxOf } from './configuredChains.ts'
import { loadKnownBlocks, loadOlderBlocks } from './loadKnownBlocks.ts'
import { createServedChain, type RunAudit } from './servedChain.ts'
import { createWarmMarket, type WarmMarkets } from './warmMarket.ts'

export type ChainRuntimeOptions = {
  /** Chain kind, such as `evm`. */
  kind: string
  storeName: string
  profile: ChainProfile
  startBlock: ChainSetup['startBlock']
  store: Store
  connection: StoreConnection
  retention: Partial<Retention>
  writerLimits: Pick<BlockWriterLimits, 'queueBlocksMax' | 'queueBytesMax' | 'batchBlocksMax'>
  riskLimits: RiskLimits
  headLimits: HeadLimits
  readyLimits: ReadinessLimits
  /**
   * Chains that were ready at least once in this run. Reopening a chain does not count as a start.
   */
  readyOnce: Set<string>
  logger: Logger
  metrics: Metrics
  onFatal(error: AppError): void
  /**
   * Indexing of the chain ended with this code. After IMAGE_DAMAGED the market cannot be served
   * either.
   */
  onStopped(error: ChainStoppedError, code: string): void
  /**
   * A reorg goes deeper than the blocks in memory, so this runtime has ended. The store must be
   * reverted to the ancestor.
   */
  onRewind(ancestor: Ancestor, setup: ChainSetup): void
  /** Markets that a standby indexer already has in memory. @default none */
  warmMarkets?: WarmMarkets | undefined
  /** How many recent blocks to keep in memory, and the seq they start at. */
  recentOptions?: Pick<RecentBlocksOptions, 'limits' | 'afterSeq'> | undefined
  /**
   * Notified of each applied entry in this order, after the chain's own `recentHistory`. @default
   * none
   */
  consumers?: readonly EntryConsumer[] | undefined
  /** Returns false to hold a block back until `proceed()`. @default always true */
  mayApply?: ((number: number) => boolean) | undefined
  /** Backfill and audit progress of this chain. @default none */
  backgroundStatus?: (() => Pick<ChainStatus, 'past' | 'audit'>) | undefined
}

export type ChainRuntime = {
  chainId: number
  storeName: string
  gatewayChain: GatewayChain
  engine: Engine
  seedSource: EngineSeedSource
  /** Starts indexing after the last stored block. */
  start(setup: ChainSetup): Promise<void>
  /**
   * Sets the native coin's USD price, taken from another chain. Every later block includes the
   * price.
   */
  setNativeUsd(price: NativeUsdPrice): void
  /** Applies blocks that `mayApply` held back. */
  proceed(): void
  /** Compares stored blocks with the chain's nodes; null: no node is connected. */
  audit: RunAudit
  progress(): PipelineProgress | null
  eventCount(): number
  stop(): Promise<void>
}

/** Opens one chain in the main thread: its engine, its writer, and the worker that indexes it. */
export async function openChainRuntime(options: ChainRuntimeOptions): Promise<ChainRuntime> {
  const { profile, metrics, writerLimits } = options
  const chain = profile.name
  const market = await openMarket(options, onPersisted)
  const { chainId, writer, engine, stored, recent, prepared } = market
  let thread: ChainThread | null = null
  let progress: PipelineProgress | null = null
  let nativeUsd: NativeUsdPrice | null = null
  const seedSource = createEngineSeedSource(engine)
  const served = createServedChain({ ...options, chainId, engine, recent, status })
  const headWatch = createHeadWatch(chain, options.headLimits, options.logger)
  const showProgress = createProgressMetrics(metrics, chain)

  const applier = createEntryApplier({
    chain,
    chainId,
    engine,
    writer,
    metrics,
    cursor: stored,
    limits: { ...writerLimits, aheadMax: entriesAheadMaxOf(writerLimits) },
    clock: { nowMs: Date.now },
    onDamaged: stoppedBy(options),
    consumers: consumersOf(options, served.recentHistory, engine),
    mayApply: options.mayApply ?? (() => true),
    // Withheld acknowledgements pause the worker at its limit.
    onAcknowledged: (count) => thread?.send('applied', count),
  })

  function onPersisted({ seq, number }: Cursor): void {
    served.persisted(seq)
    metrics.persistedBlock.set({ chain }, number)
    thread?.send('persisted', { seq, number })
    applier.acknowledge()
  }

  async function start(setup: ChainSetup): Promise<void> {
    served.connect(setup)
    thread = startChainThread({
      prepared,
      data: await threadDataOf(options, setup, { chainId, door: seedSource, stored }),
      onEntries: applier.put,
      onProgress(newest) {
        progress = newest
        status()
        showProgress(newest, served.endpoints())
        headWatch.note({ head: engine.head(), tipNumber: newest.headNumber, nowMs: Date.now() })
      },
      onRewind: (ancestor) => options.onRewind(ancestor, setup),
      onFailed: stoppedBy(options),
      logger: options.logger,
    })
    if (nativeUsd !== null) thread.send('setNativeUsd', nativeUsd)
  }

  function setNativeUsd(price: NativeUsdPrice): void {
    const isSame = price.usd === nativeUsd?.usd && price.atS === nativeUsd.atS
    nativeUsd = price
    if (!isSame) thread?.send('setNativeUsd', price)
  }

  function status() {
    const now = { writer: writer.status(), headWarnings: headWatch.warnings(), nowMs: Date.now() }
    const read = { progress, startFault: thread?.startFault(), ...options.backgroundStatus?.() }
    return chainStatusOf({ ...options, ...writerLimits, chain, engine, ...read, ...now })
  }

  return {
    chainId,
    engine,
    seedSource,
    storeName: options.storeName,
    start,
    setNativeUsd,
    gatewayChain: served.gatewayChain,
    audit: served.audit,
    proceed: applier.applyHeld,
    progress: () => progress,
    eventCount: served.eventCount,
    async stop() {
      await Promise.all([thread?.stop(), served.disconnect()])
      await writer.close()
      // The chain is no longer indexed, so its last reported progress is stale.
      thread = null
      progress = null
    },
  }
}

function stoppedBy({ profile, onStopped }: ChainRuntimeOptions): (cause: AppError) => void {
  return (cause) => onStopped(new ChainStoppedError({ chain: profile.name, cause }), cause.code)
}

/** Returns all consumers of applied entries in notification order. */
function consumersOf(
  { consumers = [], metrics }: ChainRuntimeOptions,
  recentHistory: EntryConsumer,
  engine: Engine,
): EntryConsumer[] {
  return [recentHistory, ...consumers, createMarketMetrics(metrics, engine, { nowMs: Date.now })]
}

/** Collects what the chain's worker needs to continue after the last stored block. */
async function threadDataOf(
  { store, profile, connection, logger }: ChainRuntimeOptions,
  setup: ChainSetup,
  { chainId, door, stored }: { chainId: number; door: EngineSeedSource; stored: StoredCursor },
): Promise<ChainThreadData> {
  const known = await loadKnownBlocks(store, chainId, profile.reorgDepthMax, door)
  const start = {
    setup,
    known,
    older: await loadOlderBlocks(store, {
      chainId,
      known,
      finalizedNumber: stored.finalized,
      countMax: nonFinalBlocksMaxOf(setup.finality),
    }),
    firstNumber: await store.findFirstNumber(chainId),
    finalizedNumber: stored.finalized,
    ...(await door.start()),
    leftOut: await store.loadLeftOut(chainId),
    doubtful: await store.loadDoubtfulBlocks(chainId, unverifiedBlocksMax),
  }
  return { start, chainId, connection, storedSeq: stored.seq, log: loggerOptionsOf(logger) }
}

/**
 * Locks the chain in the store for this process and loads its market up to the last stored entry.
 */
async function openMarket(options: ChainRuntimeOptions, onPersisted: (cursor: Cursor) => void) {
  const { storeName, profile, store, retention, writerLimits, onFatal } = options
  const chain = profile.name
  const chainId = await store.ensureChain(storeName)
  const writer = await store.openWriter({
    chainId,
    chain,
    limits: writerLimits,
    retention,
    onPersisted,
    onFatal,
  })
  const stored = await store.loadCursor(chainId)
  const { logger, recentOptions, warmMarkets } = options
  const warm = warmMarkets?.get(chainId)
  const market =
    warm ??
    createWarmMarket({ store, chainId, profile, logger, kept: recentOptions, onDamaged: onFatal })
  // A standby market is used once; reopening the chain later loads the market from the store.
  warmMarkets?.delete(chainId)
  const { engine, seq, recent } = await market.catchUp()
  if (seq !== stored.seq) throw new LogGapError({ chain, readSeq: seq, foundSeq: stored.seq })
  return { chainId, writer, engine, stored, recent, prepared: warm?.thread }
}
