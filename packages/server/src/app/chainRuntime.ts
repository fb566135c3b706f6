import type { ChainState } from '@chaintape/protocol'
import type { Engine } from '../engine/engine.ts'
import type { ChainStatus, GatewayChain } from '../gateway/gatewayChain.ts'
import { decodeUndo } from '../ledger/undo.ts'
import type { AppError } from '../lib/errors.ts'
import type { Logger } from '../lib/logger.ts'
import type { Metrics } from '../lib/metrics.ts'
import { decodeEntry } from '../log/entryCodec.ts'
import type { ChainProfile } from '../model/chainProfile.ts'
import type { MarketEvent } from '../model/marketEvent.ts'
import type { TokenRecord } from '../model/token.ts'
import type { Cursor } from '../store/blockWrite.ts'
import type { BlockWriter } from '../store/blockWriter.ts'
import type { StoreConnection } from '../store/connection.ts'
import type { Store } from '../store/openStore.ts'
import type { Retention } from '../store/retention.ts'
import type { HandedEntry, PipelineProgress } from './chainPipeline.ts'
import { type ChainSetup, entriesAheadMax } from './chainSetup.ts'
import { ChainStoppedError, LogGapError } from './errors.ts'
import { loadEngine } from './loadEngine.ts'
import { loadKnownBlocks } from './loadKnownBlocks.ts'
import { type ChainThread, startChainThread } from './startChainThread.ts'

export type ChainRuntimeOptions = {
  storeName: string
  profile: ChainProfile
  store: Store
  connection: StoreConnection
  retention: Partial<Retention>
  queueBlocksMax: number
  batchBlocksMax: number
  logger: Logger
  metrics: Metrics
  onFatal(error: AppError): void
  /** After each entry: what it changed. */
  onEvents?: ((events: readonly MarketEvent[]) => void) | undefined
}

export type ChainRuntime = {
  chainId: number
  gatewayChain: GatewayChain
  engine: Engine
  /** Begins to read the chain, from where the store ends. */
  start(setup: ChainSetup): Promise<void>
  progress(): PipelineProgress | null
  eventCount(): number
  /** Resolves when all that was applied is stored. */
  flush(): Promise<void>
  stop(): Promise<void>
}

/** One chain in the main thread: its engine, its writer, and the thread that reads it. */
export async function openChainRuntime(options: ChainRuntimeOptions): Promise<ChainRuntime> {
  const { storeName, profile, store, metrics, queueBlocksMax } = options
  const chain = profile.name
  const logger = options.logger.child({ chain })
  const chainId = await store.ensureChain(storeName)
  const writer: BlockWriter = await store.openWriter({
    chainId,
    chain,
    limits: {
      // What the thread has handed over already must find room when ingestion pauses.
      queueBlocksMax: queueBlocksMax + entriesAheadMax,
      batchBlocksMax: options.batchBlocksMax,
    },
    retention: options.retention,
    onPersisted,
    onFatal: options.onFatal,
  })
  const stored = await store.loadCursor(chainId)
  const { engine, seq } = await loadEngine(store, chainId, profile, logger)
  if (seq !== stored.seq) throw new LogGapError({ chain, loadedSeq: seq, storedSeq: stored.seq })

  let cursor: Cursor = stored
  let thread: ChainThread | null = null
  let progress: PipelineProgress | null = null
  let eventCount = 0
  /** Entries applied while the queue was full: acknowledged when it has room again. */
  let heldCount = 0

  function onPersisted({ number }: Cursor): void {
    metrics.persistedBlock.set({ chain }, number)
    thread?.order({ type: 'persisted', number })
    if (heldCount > 0 && writer.status().queuedBlocks * 2 <= queueBlocksMax) releaseHeld()
  }

  const isPaused = () => writer.status().queuedBlocks >= queueBlocksMax

  function releaseHeld(): void {
    metrics.pausedState.set({ chain }, 0)
    thread?.order({ type: 'applied', count: heldCount })
    heldCount = 0
  }

  function onEntries(entries: readonly HandedEntry[]): void {
    for (const entry of entries) applyEntry(entry)
    heldCount += entries.length
    if (isPaused()) metrics.pausedState.set({ chain }, 1)
    else releaseHeld()
  }

  function applyEntry(handed: HandedEntry): void {
    const endTimer = metrics.applyMs.startTimer({ chain })
    const entry = decodeEntry(handed.bytes)
    const events = engine.apply(entry)
    endTimer()
    eventCount += events.length
    append(handed, events)
    options.onEvents?.(events)
    if (entry.type === 'revert') metrics.revertsTotal.inc({ chain })
    if (entry.type !== 'commit') return
    metrics.blocksTotal.inc({ chain })
    metrics.headBlock.set({ chain }, handed.ref.number)
    metrics.headTimeS.set({ chain }, handed.ref.timeS)
    metrics.blockToMarketMs.observe({ chain }, Date.now() - entry.block.receivedMs)
  }

  function append(handed: HandedEntry, events: readonly MarketEvent[]): void {
    const { type, ref, bytes, changes, isFinal } = handed
    const before = cursor
    const head = engine.head()
    cursor = { seq: before.seq + 1, number: head?.number ?? -1, hash: head?.hash ?? '' }
    writer.append({
      chainId,
      seq: cursor.seq,
      entries: [{ type, ref, bytes, undo: type === 'commit' && !isFinal ? changes : null }],
      cursorBefore: { seq: before.seq },
      cursorAfter: cursor,
      events,
      balances: changes === null ? [] : decodeUndo(changes).changes,
      reverted: type === 'revert' ? ref : null,
      nowS: Math.floor(Date.now() / 1_000),
    })
    metrics.queueBlocks.set({ chain }, writer.status().queuedBlocks)
  }

  async function start(setup: ChainSetup): Promise<void> {
    thread = startChainThread({
      data: {
        start: {
          setup,
          known: await loadKnownBlocks(store, chainId, profile.reorgDepthMax),
          finalizedNumber: stored.finalized,
          incompleteTokens: incompleteTokensOf(engine),
          nextTokenId: engine.tokenCount(),
          nextPairId: engine.pairCount(),
        },
        chainId,
        connection: options.connection,
        logLevel: logger.level as 'info',
      },
      onEntries,
      onProgress(newest) {
        progress = newest
        metrics.tipBlock.set({ chain }, newest.headNumber)
      },
      onFailed: (cause) => options.onFatal(new ChainStoppedError({ chain, cause })),
    })
  }

  function status(): ChainStatus {
    const { queuedBlocks, lastError, lastPersisted } = writer.status()
    return {
      state: stateOf(engine, progress, isPaused()),
      tipNumber: progress === null || progress.headNumber < 0 ? null : progress.headNumber,
      persistedNumber: lastPersisted.number < 0 ? null : lastPersisted.number,
      queueBlocks: queuedBlocks,
      queueBlocksMax,
      pausedReason: isPaused() ? 'The database is behind: its queue is full.' : null,
      databaseError: lastError?.shortMessage ?? null,
      rpcError: progress?.lastError ?? null,
    }
  }

  return {
    chainId,
    engine,
    gatewayChain: { kind: 'evm', profile, reads: engine, status },
    start,
    progress: () => progress,
    eventCount: () => eventCount,
    flush: () => writer.flush(),
    async stop() {
      await thread?.stop()
      await writer.close()
    },
  }
}

function incompleteTokensOf(engine: Engine): TokenRecord[] {
  const tokens: TokenRecord[] = []
  for (let id = 0; id < engine.tokenCount(); id += 1) {
    const { record, supply } = engine.tokenState(id)
    if (supply !== null && !supply.isComplete) tokens.push(record)
  }
  return tokens
}

function stateOf(engine: Engine, progress: PipelineProgress | null, isPaused: boolean): ChainState {
  if (engine.head() === null || progress === null) return 'starting'
  if (isPaused) return 'paused'
  return progress.isLive ? 'live' : 'backfill'
}
