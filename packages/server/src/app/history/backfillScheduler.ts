import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../../config/schema/schema.ts'
import type { BackfillStatus } from '../../gateway/chain/gatewayChain.ts'
import { chainKindOf } from '../../kinds/chainKinds.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import type { Logger } from '../../lib/logger.ts'
import type { NativeUsdPrice } from '../../model/finishedBlock.ts'
import { backfillNameOf, replacedPrefixOf } from '../../store/adoptChain.ts'
import type { Store } from '../../store/openStore.ts'
import type { Retention } from '../../store/retention.ts'
import type { ChainRuntime } from '../chain/chainRuntime.ts'
import { removeMarketImages } from '../snapshots/marketImages.ts'
import {
  createHistoryBackfill,
  type HistoryBackfill,
  type HistoryBackfillOptions,
} from './historyBackfill.ts'
import { type BackfillPlan, parseHistoryStart, planBackfill } from './planBackfill.ts'

export type BackfillSchedulerOptions = {
  config: Config
  store: Store
  retention: Partial<Retention>
  logger: Logger
  live(name: string): ChainRuntime | undefined
  openRuntime: HistoryBackfillOptions['openRuntime']
  /** Native coin price that this chain takes from another chain; null: unknown. */
  nativeUsdOf(name: string): NativeUsdPrice | null
  /**
   * Replaces the stored chain with the finished backfill while the chain stays served; false: not
   * possible yet.
   */
  replaceChain(setup: ChainSetup, past: HistoryBackfill): Promise<boolean>
}

/**
 * Backfills of all chains. A backfill indexes blocks before the first stored block, or re-indexes
 * stored blocks that proved incomplete or untrue.
 */
export type BackfillScheduler = {
  /** Keeps the chain's stored history as configured from now on. */
  begin(setup: ChainSetup): void
  /** Returns the backfill progress of a chain; null: `begin` was not called. */
  statusOf(name: string): BackfillStatus | null
  /** Runtimes of backfills that are running. */
  runtimes(): ChainRuntime[]
  stop(): Promise<void>
}

const lookMs = 500
const retryMs = 5_000
// Keep a replaced chain this long: requests that began before the swap may still read from it.
const replacedKeptMs = 60_000
// Delay before another backfill for trades of missed pools, doubled after each. A node that still
// lacks the answer after one backfill is unlikely to have it soon.
const againMsMin = 600_000
const againMsMax = 86_400_000

export function createBackfillScheduler(options: BackfillSchedulerOptions): BackfillScheduler {
  const { config, logger, live } = options
  const stopping = new AbortController()
  const { signal } = stopping
  const pause = (ms: number) => delay(ms, undefined, { signal, ref: false }).catch(() => undefined)
  const readers = new Map<string, HistoryBackfill>()
  /**
   * Chain → block its history must begin with; null: the first stored block. Undefined until a node
   * has answered which block that is.
   */
  const wanted = new Map<string, number | null | undefined>()
  const running: Promise<void>[] = []

  async function keep(setup: ChainSetup): Promise<void> {
    const { name } = setup.profile
    const wantedNumber = await historyStartNumber(options, setup, signal)
    wanted.set(name, wantedNumber)
    await deleteReplacedChains(options, setup, signal)
    let againMs = againMsMin
    let againAtMs = 0
    for (; !signal.aborted; await pause(lookMs)) {
      const plan = planOf(options, live(name), wantedNumber)
      const isAgain = plan !== null && plan.reason !== 'start'
      if (plan === null || (isAgain && performance.now() < againAtMs)) continue
      if (!(await isRead(setup, plan)) || !isAgain) continue
      againAtMs = performance.now() + againMs
      againMs = Math.min(againMs * 2, againMsMax)
    }
  }

  /**
   * Backfills once; returns true on success. After a failure the next call resumes the backfill.
   */
  async function isRead(setup: ChainSetup, plan: BackfillPlan): Promise<boolean> {
    try {
      return await read(setup, plan)
    } catch (err) {
      if (signal.aborted) return false
      const { name: chain } = setup.profile
      logger.warn({ msg: 'Backfill failed; retrying', chain, err })
      await pause(retryMs)
      return false
    }
  }

  /** Returns true once the backfill replaced the stored chain. */
  async function read(setup: ChainSetup, asked: BackfillPlan): Promise<boolean> {
    const { name: chain } = setup.profile
    const plan = await resumedPlan(options, setup, asked, signal)
    logger.info({ msg: 'Starting a backfill', chain, ...plan })
    const past = createHistoryBackfill({
      ...options,
      setup,
      plan,
      signal,
      ratePercent: config.chains[chain]?.history.rate_percent ?? 100,
      live: () => live(chain),
      nativeUsd: () => options.nativeUsdOf(chain),
    })
    readers.set(chain, past)
    try {
      while (await untilLoadable(options, past, signal)) {
        if (!(await options.replaceChain(setup, past))) continue
        logger.info({ msg: 'Backfill finished and replaced the stored chain', chain, ...plan })
        void pause(replacedKeptMs).then(() => deleteReplacedChains(options, setup, signal))
        return true
      }
      return false
    } finally {
      readers.delete(chain)
      await past.stop()
    }
  }

  return {
    begin(setup) {
      const { name: chain } = setup.profile
      wanted.set(chain, undefined)
      const keeping = keep(setup).catch((err: unknown) => {
        if (!signal.aborted) logger.error({ msg: 'Backfill stopped', chain, err })
      })
      running.push(keeping)
    },
    statusOf(name) {
      if (!wanted.has(name)) return null
      return { wantedNumber: wanted.get(name), progress: readers.get(name)?.progress() ?? null }
    },
    runtimes: () => [...readers.values()].flatMap((past) => past.runtime() ?? []),
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}

/** Returns the block that history must begin with; null: the first stored block is right. */
async function historyStartNumber(
  { config, logger }: BackfillSchedulerOptions,
  setup: ChainSetup,
  signal: AbortSignal,
): Promise<number | null> {
  const { name: chain } = setup.profile
  const from = config.chains[chain]?.history.from
  const configured = setup.startBlock === 'latest' ? null : setup.startBlock
  if (from === undefined && configured === null) return null
  const start =
    from === undefined
      ? { number: configured! }
      : parseHistoryStart(from, Math.floor(Date.now() / 1_000))
  const ofTwo = (number: number) => Math.min(number, configured ?? number)
  const { backfill } = chainKindOf(setup)
  const asked = { setup, logger, signal }
  for (;;) {
    try {
      const number =
        'number' in start
          ? ofTwo(start.number)
          : ofTwo(await backfill.findBlockAt({ ...asked, timeS: start.timeS }))
      return (await backfill.findBlockFrom?.({ ...asked, number })) ?? number
    } catch (err) {
      signal.throwIfAborted()
      logger.warn({ msg: 'No node reports the block that history begins with', chain, err })
    }
    await delay(retryMs, undefined, { signal }).catch(() => undefined)
  }
}

/** Returns what to backfill, once the chain is at its head; null: nothing. */
function planOf(
  { config }: BackfillSchedulerOptions,
  live: ChainRuntime | undefined,
  wantedNumber: number | null,
): BackfillPlan | null {
  const head = live?.engine.head() ?? null
  if (live === undefined || head === null) return null
  const { lagReason, history, missedPools, forgottenContracts, doubtful } =
    live.gatewayChain.status()
  if (lagReason !== null || history.firstNumber === null) return null
  return planBackfill({
    wantedNumber,
    firstNumber: history.firstNumber,
    headNumber: head.number,
    hasMissedPools: missedPools !== null || Boolean(forgottenContracts),
    hasUntrueBlocks: (doubtful?.untrueCount ?? 0) > 0,
    firstBlocks: config.limits.history_first_blocks,
  })
}

/** Resumes an interrupted backfill if it still helps; otherwise deletes its stored data. */
async function resumedPlan(
  { store, live }: BackfillSchedulerOptions,
  { storeName, profile }: ChainSetup,
  plan: BackfillPlan,
  signal: AbortSignal,
): Promise<BackfillPlan> {
  const chainId = await store.findChain(backfillNameOf(storeName))
  if (chainId === null) return plan
  const { firstNumber, number } = await store.loadCursor(chainId)
  if (number < 0 || firstNumber === null) return plan
  const servedFrom = live(profile.name)?.gatewayChain.status().history.firstNumber ?? firstNumber
  const isOfUse = firstNumber <= plan.fromNumber || firstNumber < servedFrom
  if (isOfUse) return { ...plan, fromNumber: firstNumber }
  await store.dropChain(chainId, { signal })
  return plan
}

// Reading this many log entries takes a second or two.
const entriesMax = 5_000
const snapshotWaits = 2

/**
 * Resolves with true when the backfill is at the head and its snapshot is recent enough to reopen
 * the chain quickly.
 */
async function untilLoadable(
  { config, store }: BackfillSchedulerOptions,
  past: HistoryBackfill,
  signal: AbortSignal,
): Promise<boolean> {
  let sinceMs: number | null = null
  while (await past.untilAtHead()) {
    sinceMs ??= performance.now()
    const chainId = past.runtime()!.chainId
    const isPatient = performance.now() - sinceMs < snapshotWaits * config.fixed.snapshot_every_ms
    if (!isPatient || (await entriesToRead(store, chainId)) <= entriesMax) return !signal.aborted
  }
  return false
}

async function entriesToRead(store: Store, chainId: number): Promise<number> {
  const { seq } = await store.loadCursor(chainId)
  return seq - (await store.newestSnapshotSeq(chainId))
}

/** Deletes replaced chains. The next start deletes what an interruption leaves. */
async function deleteReplacedChains(
  { store, logger }: BackfillSchedulerOptions,
  { storeName, profile }: ChainSetup,
  signal: AbortSignal,
): Promise<void> {
  try {
    for (const name of await store.findChainNames(replacedPrefixOf(storeName))) {
      const chainId = await store.findChain(name)
      if (signal.aborted) return
      if (chainId === null) continue
      await store.dropChain(chainId, { signal })
      await removeMarketImages({ chainId, profile }, logger)
    }
  } catch (err) {
    logger.warn({ msg: 'Failed to delete a replaced chain', chain: profile.name, err })
  }
}
