import { setTimeout as delay } from 'node:timers/promises'
import type { Engine } from '../../engine/engine.ts'
import { ReorgTooDeepError } from '../../engine/errors.ts'
import type { ChainStatus } from '../../gateway/chain/gatewayChain.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import type { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Metrics } from '../../lib/metrics.ts'
import { decodeEntry } from '../../log/entryCodec.ts'
import { LogEntryTooNewError } from '../../log/errors.ts'
import type { LoggedEntry, LogReader } from '../../log/log.ts'
import type { EntryConsumer } from '../../model/logEntry.ts'
import type { RiskLimits } from '../../risk/riskChecker.ts'
import type { Store } from '../../store/openStore.ts'
import type { StoredCursor } from '../../store/read/chains.ts'
import type { HistoryReads } from '../../store/replicaReads.ts'
import { createMarketMetrics } from '../chain/chainMetrics.ts'
import { lagReason, type ReadinessLimits } from '../chain/chainStatus.ts'
import { createServedChain } from '../chain/servedChain.ts'
import { ChainStoppedError } from '../errors.ts'
import { loadEngine } from '../snapshots/loadEngine.ts'
import { removeMarketImages } from '../snapshots/marketImages.ts'
import type { SnapshotChain } from '../snapshots/startSnapshots.ts'
import { type RetryContext, retryStoreCall } from '../threads/retryingReads.ts'
import type { MarketConsumer } from './chains.ts'
import { damagedChainPlaceholder } from './gatewayChains.ts'

export type FollowChainOptions = {
  setup: ChainSetup
  store: Store
  metrics: Metrics
  logger: Logger
  riskLimits: RiskLimits
  readyLimits: ReadinessLimits
  queueBlocksMax: number
  marketConsumer: MarketConsumer
  /** Consumer name in the log, which keeps entries until this consumer acknowledges them. */
  consumer: string
  /** Reads history from the primary database or a replica. */
  reads: HistoryReads
  signal: AbortSignal
  onFatal(error: AppError): void
  /**
   * The log continues in a newer format. The gateway keeps serving the last state it could read.
   */
  onTooNew(error: LogEntryTooNewError): void
}

// Each acknowledgement is one write. After a crash, entries of this period are read again.
const acknowledgeEveryMs = 1_000
// Memory keeps blocks until it learns that they are stored.
const cursorEveryMs = 200
// Polling interval until an indexer has created the chain in the store.
const findEveryMs = 100

type FollowState = {
  wasReady: boolean
  /** Why the gateway stopped following the log; null: it still follows. */
  tooNew: LogEntryTooNewError | null
}

type Market = {
  /** Id of the chain in the store. A finished backfill replaces the chain under a new id. */
  chainId: number
  log: LogReader
  engine: Engine
  seq: number
  consumers: readonly EntryConsumer[]
  persisted(seq: number): void
  stop(): Promise<void>
}

export type FollowedChain = {
  /** The served market. A finished backfill replaces it. */
  market(): SnapshotChain
  stop(): Promise<void>
}

/**
 * Serves a chain that another process indexes: applies the chain's log to an own engine and
 * notifies the gateway.
 */
export async function followChain(options: FollowChainOptions): Promise<FollowedChain> {
  const { setup, store, logger, marketConsumer } = options
  const stopping = new AbortController()
  const signal = AbortSignal.any([stopping.signal, options.signal])
  const patience = { logger, signal }
  const chainId = await findChainId(options, signal)
  const course: FollowState = { wasReady: false, tooNew: null }
  let stored = await retryStoreCall(patience, () => store.loadCursor(chainId))
  /** Last entry that history reads can already see; a replica may lag behind the primary. */
  let readable = stored
  let market = await open({ chainId }, marketConsumer.onOpened)
  /** Aborted when the followed log has ended because another chain id replaced it. */
  let following = new AbortController()

  function open(place: ChainLogRange, onOpened: MarketConsumer['onOpened']): Promise<Market> {
    const status = (engine: Engine) => statusOf(options, { engine, stored, readable, course })
    return openMarket(options, { place, patience, status, onOpened, stopping })
  }

  /**
   * Applies log entries until the signal aborts. Throws if a revert goes deeper than the engine can
   * undo.
   */
  async function followOn(): Promise<void> {
    const ending = AbortSignal.any([signal, following.signal])
    for await (const logged of market.log.follow(market.seq + 1, ending))
      applyTo(market, setup.profile.name, logged)
  }

  /** Switches to the chain that replaced this one, right after the block where this one ended. */
  async function change(): Promise<void> {
    const chainId = await findChainId(options, signal)
    const hash = market.engine.head()?.hash ?? ''
    const toSeq = await retryStoreCall(patience, () => store.findCommitSeq(chainId, hash))
    await leave(market, options)
    market = await open({ chainId, toSeq: toSeq ?? undefined }, marketConsumer.onAdopted)
    following = new AbortController()
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        await retryStoreCall(patience, followOn)
        if (following.signal.aborted) await change()
      } catch (error) {
        if (!(error instanceof ReorgTooDeepError)) throw error
        // Wait until the revert is stored, then reload: loading skips reverted blocks, however
        // many.
        await repeat(readCursor, cursorEveryMs, signal, () => stored.seq > market.seq)
        await market.stop()
        market = await open(market, marketConsumer.onRewound)
      }
    }
  }

  /** Updates the cursor of the store, for the chain's status. */
  async function readCursor(): Promise<void> {
    const asked = market
    const cursor = await retryStoreCall(patience, () => store.loadCursor(asked.chainId))
    if (market === asked) stored = cursor
  }

  /** Updates what history reads can see; memory may release blocks up to there. */
  async function settle(): Promise<void> {
    const asked = market
    const { chainId, seq } = asked
    const settled = await retryStoreCall(patience, () => options.reads.usableCursor(chainId, seq))
    if (market !== asked) return
    readable = settled
    market.persisted(Math.min(settled.seq, seq))
  }

  async function acknowledge(): Promise<void> {
    await retryStoreCall(patience, () => market.log.acknowledge(options.consumer, market.seq))
    const named = await retryStoreCall(patience, () => store.findChain(setup.storeName))
    stored = await retryStoreCall(patience, () => store.loadCursor(named ?? market.chainId))
    if (named === null || named === market.chainId) return
    const asked = market
    const lastSeq = await retryStoreCall(patience, asked.log.lastSeq)
    // The old log is read to its end, so switch to the replacement.
    if (lastSeq <= asked.seq && market === asked) following.abort()
  }

  const acknowledging = repeat(acknowledge, acknowledgeEveryMs, signal)
  const settling = repeat(settle, cursorEveryMs, signal)
  const running = Promise.all([run(), acknowledging, settling]).catch((cause: unknown) => {
    if (signal.aborted) return
    if (!(cause instanceof LogEntryTooNewError))
      return options.onFatal(new ChainStoppedError({ chain: setup.profile.name, cause }))
    course.tooNew = cause
    // Stop acknowledging, so that the log does not wait for this gateway.
    stopping.abort()
    options.onTooNew(cause)
  })
  return {
    market: () => ({ chainId: market.chainId, gatewayChain: setup }),
    async stop() {
      stopping.abort()
      await running
      await market.stop()
    },
  }
}

function applyTo(market: Market, chain: string, { seq, bytes }: LoggedEntry): void {
  const entry = decodeEntry(bytes)
  const applied = { chain, seq, entry, events: market.engine.apply(entry) }
  market.seq = seq
  for (const consumer of market.consumers) consumer.onApplied(applied)
}

/** Stops serving a chain that was replaced, and removes its images. */
async function leave({ chainId, stop }: Market, { setup, logger }: FollowChainOptions) {
  await stop()
  await removeMarketImages({ ...setup, chainId }, logger)
}

/** Repeats a task with pauses until the signal aborts or `isDone` returns true. */
async function repeat(
  task: () => Promise<void>,
  everyMs: number,
  signal: AbortSignal,
  isDone: () => boolean = () => false,
): Promise<void> {
  while (!signal.aborted && !isDone()) {
    await task()
    await delay(everyMs, undefined, { signal }).catch(() => undefined)
  }
}

/** A chain's log in the store. `toSeq`: last entry to load; undefined: the newest. */
type ChainLogRange = { chainId: number; toSeq?: number | undefined }

type MarketParts = {
  place: ChainLogRange
  patience: RetryContext
  status(engine: Engine): ChainStatus
  onOpened: MarketConsumer['onOpened']
  /** Stops everything that follows the chain. */
  stopping: AbortController
}

/** Loads the market and serves it from now on. */
async function openMarket(
  options: FollowChainOptions,
  { place: { chainId, toSeq }, patience, status, onOpened, stopping }: MarketParts,
): Promise<Market> {
  const { setup, store, logger, marketConsumer, metrics, riskLimits, reads } = options
  const { name: chain } = setup.profile
  const kept = { afterSeq: marketConsumer.gatewayChains.get(chain)?.recent.seq, toSeq }
  const onDamaged = (error: AppError) => {
    // The engine may hold half an entry, so stop following.
    stopping.abort()
    marketConsumer.gatewayChains.set(chain, damagedChainPlaceholder({ ...options, ...setup }))
    options.onFatal(error)
  }
  const loaded = await retryStoreCall(patience, () =>
    loadEngine(store, chainId, setup.profile, logger, { ...kept, onDamaged }),
  )
  const { engine, recent, seq } = loaded
  reads.startAt(chainId, seq)
  const served = createServedChain({
    kind: setup.kind,
    profile: setup.profile,
    chainId,
    engine,
    recent,
    riskLimits,
    logger,
    status: () => status(engine),
  })
  served.connect(setup)
  marketConsumer.gatewayChains.set(chain, served.gatewayChain)
  onOpened?.(chain)
  const consumers = [
    served.recentHistory,
    ...(marketConsumer.consumers ?? []),
    createMarketMetrics(metrics, engine, { nowMs: Date.now }),
  ]
  const log = store.openLog({ chainId, chain })
  const { persisted, disconnect: stop } = served
  return { chainId, log, engine, seq, consumers, persisted, stop }
}

/** Waits until an indexer has created the chain in the store; returns its id. */
async function findChainId(
  { setup: { storeName }, store, logger }: FollowChainOptions,
  signal: AbortSignal,
): Promise<number> {
  for (;;) {
    const found = await retryStoreCall({ logger, signal }, () => store.findChain(storeName))
    if (found !== null) return found
    signal.throwIfAborted()
    await delay(findEveryMs, undefined, { signal }).catch(() => undefined)
  }
}

/**
 * Status of a followed chain. Node errors and unlogged blocks are known only to the indexer, so
 * this status omits them.
 */
function statusOf(
  { setup, readyLimits, queueBlocksMax }: FollowChainOptions,
  parts: {
    engine: Engine
    stored: StoredCursor
    readable: StoredCursor
    course: FollowState
  },
): ChainStatus {
  const { engine, stored, readable, course } = parts
  const { tooNew } = course
  const head = engine.head()
  const tip = { headNumber: stored.number, headTimeS: head?.timeS ?? 0, lastError: null }
  const behind =
    tooNew === null
      ? lagReason({ engine, progress: tip, readyLimits, nowMs: Date.now() })
      : `${tooNew.code}: ${tooNew.shortMessage} Upgrade this gateway.`
  if (behind === null) course.wasReady = true
  const wasReady = course.wasReady && tooNew === null
  const number = head?.number ?? null
  return {
    state: behind === null ? 'live' : wasReady ? 'lagging' : 'catching_up',
    wasReady,
    lagReason: behind,
    tipNumber: number,
    tipTimeS: head?.timeS ?? null,
    persistedNumber: readable.number < 0 ? null : readable.number,
    queueBlocks: 0,
    queueBlocksMax,
    pausedReason: null,
    databaseError: null,
    rpcError: null,
    unresolvedPools: 0,
    missedPools: null,
    retentionError: null,
    startBlock: setup.startBlock,
    history: { firstNumber: stored.firstNumber, swapsFromS: stored.swapsFromS },
  }
}
