import type { Ancestor } from '../../chain/errors.ts'
import type { Engine } from '../../engine/engine.ts'
import type { ChainStatus, GatewayChain } from '../../gateway/gatewayChain.ts'
import type { RecentBlocksOptions } from '../../gateway/recent/recentBlocks.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import type { AppError } from '../../lib/errors.ts'
import { type Logger, logTermsOf } from '../../lib/logger.ts'
import type { Metrics } from '../../lib/metrics.ts'
import { LogGapError } from '../../log/errors.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { NativeUsd } from '../../model/finishedBlock.ts'
import type { EntryConsumer } from '../../model/logEntry.ts'
import { unsettledBlocksMaxOf } from '../../model/trust/finality.ts'
import type { RiskLimits } from '../../risk/riskLimits.ts'
import type { Cursor } from '../../store/blockWrite.ts'
import type { BlockWriterLimits } from '../../store/blockWriter.ts'
import type { StoreConnection } from '../../store/connection.ts'
import type { Store } from '../../store/openStore.ts'
import type { StoredCursor } from '../../store/read/cursors.ts'
import type { Retention } from '../../store/retention.ts'
import { ChainStoppedError } from '../errors.ts'
import type { PipelineProgress } from '../pipeline/chainPipeline.ts'
import { doubtsReviewedMax } from '../pipeline/doubtReviews.ts'
import { entriesAheadMaxOf } from '../pipeline/pipelineLimits.ts'
import type { ChainThreadData } from '../threads/chainThread.ts'
import { type ChainThread, startChainThread } from '../threads/startChainThread.ts'
import { createEntryApplier } from './applyEntries.ts'
import type { ReadyLimits } from './chainLag.ts'
import { createMarketMetrics, createProgressMetrics } from './chainMetrics.ts'
import { chainStatusOf } from './chainStatus.ts'
import { createEngineDoor, type EngineDoor } from './engineDoor.ts'
import { createHeadWatch, type HeadLimits } from './headWatch.ts'
import { loadKnownBlocks, loadOlderBlocks } from './loadKnownBlocks.ts'
import type { AuditStored } from './nodeReads.ts'
import { createServedChain } from './servedChain.ts'
import { createWarmMarket, type WarmMarkets } from './warmMarket.ts'

export type ChainRuntimeOptions = {
  /** Name of the chain's kind. */
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
  readyLimits: ReadyLimits
  /** Names of the chains that were ready in this run; a chain that is opened again is none that starts. */
  readyOnce: Set<string>
  logger: Logger
  metrics: Metrics
  onFatal(error: AppError): void
  /** Reading the chain has ended, with this code; with IMAGE_DAMAGED the market cannot be served either. */
  onStopped(error: ChainStoppedError, code: string): void
  /** Another branch parts from ours below what memory holds: this runtime has come to its end. */
  onRewind(ancestor: Ancestor, setup: ChainSetup): void
  /** Markets that are in memory already. @default none */
  warmMarkets?: WarmMarkets | undefined
  /** How many of the newest blocks are kept, and where their sequences begin. */
  kept?: Pick<RecentBlocksOptions, 'limits' | 'afterSeq'> | undefined
  /** Told of each applied entry, in this order, behind the chain's own recent history. @default none */
  consumers?: readonly EntryConsumer[] | undefined
  /** Whether a block of this number may be applied by now; see `proceed`. @default it may */
  mayApply?: ((number: number) => boolean) | undefined
  /** What is read of its past and compared with its nodes, beside it. @default nothing */
  beside?: (() => Pick<ChainStatus, 'past' | 'audit'>) | undefined
}

export type ChainRuntime = {
  chainId: number
  storeName: string
  gatewayChain: GatewayChain
  engine: Engine
  door: EngineDoor
  /** Begins to read the chain, from where the store ends. */
  start(setup: ChainSetup): Promise<void>
  /** The native coin's price on the chain that this one takes it from; part of every block read from here on. */
  setNativeUsd(price: NativeUsd): void
  /** Applies what `mayApply` has held back. */
  proceed(): void
  /** Compares stored blocks with the chain's nodes; null: they are not asked now. */
  audit: AuditStored
  progress(): PipelineProgress | null
  eventCount(): number
  stop(): Promise<void>
}

/** One chain in the main thread: its engine, its writer, and the thread that reads it. */
export async function openChainRuntime(options: ChainRuntimeOptions): Promise<ChainRuntime> {
  const { profile, metrics, writerLimits } = options
  const chain = profile.name
  const market = await openMarket(options, onPersisted)
  const { chainId, writer, engine, stored, recent, prepared } = market
  let thread: ChainThread | null = null
  let progress: PipelineProgress | null = null
  let nativeUsd: NativeUsd | null = null
  const door = createEngineDoor(engine)
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
    // Acknowledgements that are held back make the thread stop at its limit.
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
      data: await threadDataOf(options, setup, { chainId, door, stored }),
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

  function setNativeUsd(price: NativeUsd): void {
    const isSame = price.usd === nativeUsd?.usd && price.atS === nativeUsd.atS
    nativeUsd = price
    if (!isSame) thread?.send('setNativeUsd', price)
  }

  function status() {
    const now = { writer: writer.status(), headWarnings: headWatch.warnings(), nowMs: Date.now() }
    const read = { progress, startFault: thread?.startFault(), ...options.beside?.() }
    return chainStatusOf({ ...options, ...writerLimits, chain, engine, ...read, ...now })
  }

  return {
    chainId,
    engine,
    door,
    storeName: options.storeName,
    start,
    setNativeUsd,
    gatewayChain: served.gatewayChain,
    audit: served.audit,
    proceed: applier.proceed,
    progress: () => progress,
    eventCount: served.eventCount,
    async stop() {
      await Promise.all([thread?.stop(), served.disconnect()])
      await writer.close()
      // Nobody reads the chain any more: what the thread said last is no news.
      thread = null
      progress = null
    },
  }
}

function stoppedBy({ profile, onStopped }: ChainRuntimeOptions): (cause: AppError) => void {
  return (cause) => onStopped(new ChainStoppedError({ chain: profile.name, cause }), cause.code)
}

/** All that consume applied entries, in order. */
function consumersOf(
  { consumers = [], metrics }: ChainRuntimeOptions,
  recentHistory: EntryConsumer,
  engine: Engine,
): EntryConsumer[] {
  return [recentHistory, ...consumers, createMarketMetrics(metrics, engine, { nowMs: Date.now })]
}

/** Where the chain's thread goes on. */
async function threadDataOf(
  { store, profile, connection, logger }: ChainRuntimeOptions,
  setup: ChainSetup,
  { chainId, door, stored }: { chainId: number; door: EngineDoor; stored: StoredCursor },
): Promise<ChainThreadData> {
  const known = await loadKnownBlocks(store, chainId, profile.reorgDepthMax, door)
  const start = {
    setup,
    known,
    older: await loadOlderBlocks(store, {
      chainId,
      known,
      finalizedNumber: stored.finalized,
      countMax: unsettledBlocksMaxOf(setup.finality),
    }),
    firstNumber: await store.findFirstNumber(chainId),
    finalizedNumber: stored.finalized,
    ...(await door.start()),
    leftOut: await store.loadLeftOut(chainId),
    doubtful: await store.loadDoubtfulBlocks(chainId, doubtsReviewedMax),
  }
  return { start, chainId, connection, storedSeq: stored.seq, log: logTermsOf(logger) }
}

/** The chain's place in the store, locked for us, and the market as the store has it. */
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
  const { logger, kept, warmMarkets } = options
  const warm = warmMarkets?.get(chainId)
  const market =
    warm ?? createWarmMarket({ store, chainId, profile, logger, kept, onDamaged: onFatal })
  // Whoever opens the chain again later loads it.
  warmMarkets?.delete(chainId)
  const { engine, seq, recent } = await market.catchUp()
  if (seq !== stored.seq) throw new LogGapError({ chain, readSeq: seq, foundSeq: stored.seq })
  return { chainId, writer, engine, stored, recent, prepared: warm?.thread }
}
