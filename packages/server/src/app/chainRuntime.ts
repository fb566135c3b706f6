import type { Engine } from '../engine/engine.ts'
import type { GatewayChain } from '../gateway/gatewayChain.ts'
import type { AppError } from '../lib/errors.ts'
import type { Logger, LogLevel } from '../lib/logger.ts'
import type { Metrics } from '../lib/metrics.ts'
import type { ChainProfile } from '../model/chainProfile.ts'
import type { TokenRecord } from '../model/token.ts'
import type { Cursor } from '../store/blockWrite.ts'
import type { BlockWriterLimits } from '../store/blockWriter.ts'
import type { StoreConnection } from '../store/connection.ts'
import type { Store } from '../store/openStore.ts'
import type { Retention } from '../store/retention.ts'
import type { PipelineProgress } from './chainPipeline.ts'
import { type ChainSetup, entriesAheadMaxOf } from './chainSetup.ts'
import { chainStatusOf } from './chainStatus.ts'
import { createEntryApplier, type OnApplied } from './entryApplier.ts'
import { createEntryCredit } from './entryCredit.ts'
import { ChainStoppedError, LogGapError } from './errors.ts'
import type { HandedEntry } from './handedEntry.ts'
import { loadEngine } from './loadEngine.ts'
import { loadKnownBlocks } from './loadKnownBlocks.ts'
import { createProgressMetrics } from './progressMetrics.ts'
import { createServedChain } from './servedChain.ts'
import { type ChainThread, startChainThread } from './startChainThread.ts'

export type ChainRuntimeOptions = {
  storeName: string
  profile: ChainProfile
  store: Store
  connection: StoreConnection
  retention: Partial<Retention>
  writerLimits: Pick<BlockWriterLimits, 'queueBlocksMax' | 'queueBytesMax' | 'batchBlocksMax'>
  logger: Logger
  metrics: Metrics
  onFatal(error: AppError): void
  onApplied?: OnApplied | undefined
}

export type ChainRuntime = {
  chainId: number
  storeName: string
  gatewayChain: GatewayChain
  engine: Engine
  /** Begins to read the chain, from where the store ends. */
  start(setup: ChainSetup): Promise<void>
  progress(): PipelineProgress | null
  eventCount(): number
  stop(): Promise<void>
}

/** One chain in the main thread: its engine, its writer, and the thread that reads it. */
export async function openChainRuntime(options: ChainRuntimeOptions): Promise<ChainRuntime> {
  const { profile, store, metrics, logger, writerLimits } = options
  const chain = profile.name
  const { chainId, writer, engine, stored } = await openMarket(options, onPersisted)
  let thread: ChainThread | null = null
  let progress: PipelineProgress | null = null
  const served = createServedChain({ profile, chainId, engine, stored, logger, status })
  const showProgress = createProgressMetrics(metrics, chain)
  const credit = createEntryCredit({ ...writerLimits, aheadMax: entriesAheadMaxOf(writerLimits) })

  const applyEntry = createEntryApplier({
    ...{ chain, chainId, engine, writer, metrics, cursor: stored },
    onApplied(entry, events) {
      served.applied(entry, events)
      options.onApplied?.(entry, events)
    },
  })

  function onEntries(entries: readonly HandedEntry[]): void {
    for (const entry of entries) applyEntry(entry)
    credit.applied(entries.length)
    acknowledge()
  }

  /** What is held back makes the thread stop at its limit. */
  function acknowledge(): void {
    const queue = writer.status()
    metrics.queueBlocks.set({ chain }, queue.queuedBlocks)
    metrics.pausedState.set({ chain }, queue.isFull ? 1 : 0)
    const count = credit.take(queue)
    if (count > 0) thread?.order({ type: 'applied', count })
  }

  function onPersisted({ seq, number }: Cursor): void {
    served.persisted(seq)
    metrics.persistedBlock.set({ chain }, number)
    thread?.order({ type: 'persisted', number })
    acknowledge()
  }

  async function start(setup: ChainSetup): Promise<void> {
    served.connect(setup)
    const known = await loadKnownBlocks(store, chainId, profile.reorgDepthMax)
    thread = startChainThread({
      data: {
        start: {
          setup,
          known,
          finalizedNumber: stored.finalized,
          incompleteTokens: incompleteTokensOf(engine),
          nextTokenId: engine.tokenCount(),
          nextPairId: engine.pairCount(),
        },
        chainId,
        connection: options.connection,
        logLevel: logger.level as LogLevel,
      },
      onEntries,
      onProgress(newest) {
        progress = newest
        showProgress(newest)
      },
      onFailed: (cause) => options.onFatal(new ChainStoppedError({ chain, cause })),
    })
  }

  function status() {
    const now = { writer: writer.status(), nowMs: Date.now() }
    return chainStatusOf({ engine, progress, ...writerLimits, ...now })
  }

  return {
    chainId,
    storeName: options.storeName,
    engine,
    gatewayChain: served.gatewayChain,
    start,
    progress: () => progress,
    eventCount: served.eventCount,
    async stop() {
      await thread?.stop()
      await writer.close()
    },
  }
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
  const { engine, seq } = await loadEngine(store, chainId, profile, options.logger)
  if (seq !== stored.seq) throw new LogGapError({ chain, loadedSeq: seq, storedSeq: stored.seq })
  return { chainId, writer, engine, stored }
}

function incompleteTokensOf(engine: Engine): TokenRecord[] {
  const tokens: TokenRecord[] = []
  for (let id = 0; id < engine.tokenCount(); id += 1) {
    const { record, supply } = engine.tokenState(id)
    if (supply !== null && !supply.isComplete) tokens.push(record)
  }
  return tokens
}
