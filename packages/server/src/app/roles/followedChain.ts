import { setTimeout as delay } from 'node:timers/promises'
import type { Engine } from '../../engine/engine.ts'
import { ReorgTooDeepError } from '../../engine/errors.ts'
import type { ChainStatus } from '../../gateway/gatewayChain.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import type { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Metrics } from '../../lib/metrics.ts'
import { decodeEntry } from '../../log/entryCodec.ts'
import { LogEntryTooNewError } from '../../log/errors.ts'
import type { LoggedEntry, LogReader } from '../../log/log.ts'
import type { EntryConsumer } from '../../model/logEntry.ts'
import type { RiskLimits } from '../../risk/riskLimits.ts'
import type { Store } from '../../store/openStore.ts'
import type { StoredCursor } from '../../store/read/cursors.ts'
import type { SettledReads } from '../../store/replica/settledReads.ts'
import { behindOf, type ReadyLimits } from '../chain/chainLag.ts'
import { createMarketMetrics } from '../chain/chainMetrics.ts'
import { loadEngine } from '../chain/loadEngine.ts'
import { createServedChain } from '../chain/servedChain.ts'
import { unreadableChain } from '../chains/unopenedChain.ts'
import { ChainStoppedError } from '../errors.ts'
import { type RetryContext, untilAnswered } from '../threads/retryingReads.ts'
import type { MarketOutlet } from './ingest.ts'

export type FollowedChainOptions = {
  setup: ChainSetup
  store: Store
  metrics: Metrics
  logger: Logger
  riskLimits: RiskLimits
  readyLimits: ReadyLimits
  queueBlocksMax: number
  outlet: MarketOutlet
  /** The log keeps what this one has not acknowledged. */
  consumer: string
  /** Where history is read. */
  reads: SettledReads
  signal: AbortSignal
  onFatal(error: AppError): void
  /** The log goes on in a format of a later version: what is served stays as it is. */
  onTooNew(error: LogEntryTooNewError): void
}

// A consumer that is killed reads so much again; each is one write.
const acknowledgeEveryMs = 1_000
// Until memory learns that blocks are stored, it keeps them.
const cursorEveryMs = 200
// Until the chain is in the store.
const findEveryMs = 100

type Course = {
  wasReady: boolean
  /** Why it goes no further. */
  tooNew: LogEntryTooNewError | null
}

type Market = {
  /** Its number in the store: another one once its history was replaced. */
  chainId: number
  log: LogReader
  engine: Engine
  seq: number
  consumers: readonly EntryConsumer[]
  persisted(seq: number): void
  stop(): Promise<void>
}

/** A chain that another process writes: its log is applied to an engine of our own and given to those who serve it. */
export async function followChain(
  options: FollowedChainOptions,
): Promise<{ stop(): Promise<void> }> {
  const { setup, store, logger, outlet } = options
  const chain = setup.profile.name
  const stopping = new AbortController()
  const signal = AbortSignal.any([stopping.signal, options.signal])
  const patience = { logger, signal }
  const chainId = await findChainId(options, signal)
  const course: Course = { wasReady: false, tooNew: null }
  let stored = await untilAnswered(patience, () => store.loadCursor(chainId))
  /** As far as it may be read. */
  let readable = stored
  let market = await open({ chainId }, outlet.onOpened)
  /** Ends following a log that has come to its end. */
  let following = new AbortController()

  function open(place: MarketPlace, onOpened: MarketOutlet['onOpened']): Promise<Market> {
    const status = (engine: Engine) => statusOf(options, { engine, stored, readable, course })
    return openMarket(options, { place, patience, status, onOpened, stopping })
  }

  /** Ends with a block that the engine cannot revert, or the signal. */
  async function followOn(): Promise<void> {
    const ending = AbortSignal.any([signal, following.signal])
    for await (const logged of market.log.follow(market.seq + 1, ending))
      applyTo(market, chain, logged)
  }

  /** Another history has taken the chain's place: it goes on behind the block that this one ended with. */
  async function change(): Promise<void> {
    const chainId = await findChainId(options, signal)
    const hash = market.engine.head()?.hash ?? ''
    const toSeq = await untilAnswered(patience, () => store.findCommitSeq(chainId, hash))
    await market.stop()
    market = await open({ chainId, toSeq: toSeq ?? undefined }, outlet.onAdopted)
    following = new AbortController()
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        await untilAnswered(patience, followOn)
        if (following.signal.aborted) await change()
      } catch (error) {
        if (!(error instanceof ReorgTooDeepError)) throw error
        // Loading passes over blocks that the log reverts, however many, once the store has them.
        await repeat(readCursor, cursorEveryMs, signal, () => stored.seq > market.seq)
        await market.stop()
        market = await open(market, outlet.onRewound)
      }
    }
  }

  /** What is stored needs no memory, and the past is asked of the store. */
  async function readCursor(): Promise<void> {
    const asked = market
    const cursor = await untilAnswered(patience, () => store.loadCursor(asked.chainId))
    if (market === asked) stored = cursor
  }

  /** Of what can be read there, memory may let go. */
  async function settle(): Promise<void> {
    const asked = market
    const { chainId, seq } = asked
    const settled = await untilAnswered(patience, () => options.reads.settle(chainId, seq))
    if (market !== asked) return
    readable = settled
    market.persisted(Math.min(settled.seq, seq))
  }

  async function acknowledge(): Promise<void> {
    await untilAnswered(patience, () => market.log.acknowledge(options.consumer, market.seq))
    const named = await untilAnswered(patience, () => store.findChain(setup.storeName))
    stored = await untilAnswered(patience, () => store.loadCursor(named ?? market.chainId))
    if (named === null || named === market.chainId) return
    const asked = market
    const lastSeq = await untilAnswered(patience, asked.log.lastSeq)
    // Nothing of its log is left to be read.
    if (lastSeq <= asked.seq && market === asked) following.abort()
  }

  const acknowledging = repeat(acknowledge, acknowledgeEveryMs, signal)
  const settling = repeat(settle, cursorEveryMs, signal)
  const running = Promise.all([run(), acknowledging, settling]).catch((cause: unknown) => {
    if (signal.aborted) return
    if (!(cause instanceof LogEntryTooNewError))
      return options.onFatal(new ChainStoppedError({ chain, cause }))
    course.tooNew = cause
    // The log need not wait for one that reads no more of it.
    stopping.abort()
    options.onTooNew(cause)
  })
  return {
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
  for (const consumer of market.consumers) consumer.applied(applied)
}

/** Until the signal or what else ends it, with pauses. */
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

/** A chain's log in the store, up to an entry; undefined: to its end. */
type MarketPlace = { chainId: number; toSeq?: number | undefined }

type MarketParts = {
  place: MarketPlace
  patience: RetryContext
  status(engine: Engine): ChainStatus
  onOpened: MarketOutlet['onOpened']
  /** Ends all that goes on with the chain. */
  stopping: AbortController
}

/** The market as the log has it there, served from now on. */
async function openMarket(
  options: FollowedChainOptions,
  { place: { chainId, toSeq }, patience, status, onOpened, stopping }: MarketParts,
): Promise<Market> {
  const { setup, store, logger, outlet, metrics, riskLimits, reads } = options
  const { name: chain } = setup.profile
  const kept = { afterSeq: outlet.gatewayChains.get(chain)?.recent.seq, toSeq }
  const onDamaged = (error: AppError) => {
    // Half an entry may be in the engine.
    stopping.abort()
    outlet.gatewayChains.set(chain, unreadableChain({ ...options, ...setup }))
    options.onFatal(error)
  }
  const loaded = await untilAnswered(patience, () =>
    loadEngine(store, chainId, setup.profile, logger, { ...kept, onDamaged }),
  )
  const { engine, recent, seq } = loaded
  reads.begin(chainId, seq)
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
  outlet.gatewayChains.set(chain, served.gatewayChain)
  onOpened?.(chain)
  const consumers = [
    served.recentHistory,
    ...(outlet.consumers ?? []),
    createMarketMetrics(metrics, engine, { nowMs: Date.now }),
  ]
  const log = store.openLog({ chainId, chain })
  const { persisted, disconnect: stop } = served
  return { chainId, log, engine, seq, consumers, persisted, stop }
}

/** Its number in the store, once the half that writes has made it. */
async function findChainId(
  { setup: { storeName }, store, logger }: FollowedChainOptions,
  signal: AbortSignal,
): Promise<number> {
  for (;;) {
    const found = await untilAnswered({ logger, signal }, () => store.findChain(storeName))
    if (found !== null) return found
    signal.throwIfAborted()
    await delay(findEveryMs, undefined, { signal }).catch(() => undefined)
  }
}

/** What the store and the log tell: of nodes, and of what is on its way to the log, nothing is known here. */
function statusOf(
  { setup, readyLimits, queueBlocksMax }: FollowedChainOptions,
  parts: {
    engine: Engine
    stored: StoredCursor
    readable: StoredCursor
    course: Course
  },
): ChainStatus {
  const { engine, stored, readable, course } = parts
  const { tooNew } = course
  const head = engine.head()
  const tip = { headNumber: stored.number, headTimeS: head?.timeS ?? 0, lastError: null }
  const behind =
    tooNew === null
      ? behindOf({ engine, progress: tip, readyLimits, nowMs: Date.now() })
      : `${tooNew.code}: ${tooNew.shortMessage} Upgrade this gateway.`
  if (behind === null) course.wasReady = true
  const wasReady = course.wasReady && tooNew === null
  const number = head?.number ?? null
  return {
    state: behind === null ? 'live' : wasReady ? 'lagging' : 'catching_up',
    wasReady,
    behind,
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
    retentionHeld: null,
    startBlock: setup.startBlock,
    history: { firstNumber: stored.firstNumber, swapsFromS: stored.swapsFromS },
  }
}
