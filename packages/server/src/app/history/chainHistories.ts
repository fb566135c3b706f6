import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../../config/schema/schema.ts'
import type { PastStatus } from '../../gateway/gatewayChain.ts'
import { chainKindOf } from '../../kinds/chainKinds.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import type { Logger } from '../../lib/logger.ts'
import type { NativeUsd } from '../../model/finishedBlock.ts'
import { behindNameOf, replacedPrefixOf } from '../../store/adoptChain.ts'
import type { Store } from '../../store/openStore.ts'
import type { Retention } from '../../store/retention.ts'
import type { ChainRuntime } from '../chain/chainRuntime.ts'
import { removeImagesOf } from '../chain/marketImages.ts'
import { createPastReader, type PastReader, type PastReaderOptions } from './pastReader.ts'
import { historyStartOf, planReading, type ReadingPlan } from './planReading.ts'

export type ChainHistoriesOptions = {
  config: Config
  store: Store
  retention: Partial<Retention>
  logger: Logger
  live(name: string): ChainRuntime | undefined
  openRuntime: PastReaderOptions['openRuntime']
  /** The price of its coin that a chain takes from another. */
  nativeUsdOf(name: string): NativeUsd | null
  /** Puts what was read in place of the chain, which is served all the while; false: it was not to be had yet. */
  adopt(setup: ChainSetup, past: PastReader): Promise<boolean>
}

/** The past of every chain: read behind its head where it is wanted, and again where it is not true. */
export type ChainHistories = {
  /** From here on the chain's past is kept as its config wants it. */
  begin(setup: ChainSetup): void
  /** Null: nobody has begun with it. */
  statusOf(name: string): PastStatus | null
  /** Those that read at the moment. */
  runtimes(): ChainRuntime[]
  stop(): Promise<void>
}

const lookMs = 500
const retryMs = 5_000
// What was replaced may still be read by requests that began before, for about as long as a read may take.
const replacedKeptMs = 60_000
// A chain that was read again for what was missing, and misses it still: the nodes are not believed to know soon.
const againMsMin = 600_000
const againMsMax = 86_400_000

export function createChainHistories(options: ChainHistoriesOptions): ChainHistories {
  const { config, logger, live } = options
  const stopping = new AbortController()
  const { signal } = stopping
  const pause = (ms: number) => delay(ms, undefined, { signal, ref: false }).catch(() => undefined)
  const readers = new Map<string, PastReader>()
  /** By chain, where history shall begin; undefined until a node has said which block that is. */
  const wanted = new Map<string, number | null | undefined>()
  const running: Promise<void>[] = []

  async function keep(setup: ChainSetup): Promise<void> {
    const { name } = setup.profile
    const wantedNumber = await wantedNumberOf(options, setup, signal)
    wanted.set(name, wantedNumber)
    await dropReplaced(options, setup, signal)
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

  /** What fails is begun again where it was. */
  async function isRead(setup: ChainSetup, plan: ReadingPlan): Promise<boolean> {
    try {
      return await read(setup, plan)
    } catch (err) {
      if (signal.aborted) return false
      const { name: chain } = setup.profile
      logger.warn({ msg: 'Reading the past of a chain failed, and is tried again', chain, err })
      await pause(retryMs)
      return false
    }
  }

  /** True: it has taken the chain's place. */
  async function read(setup: ChainSetup, asked: ReadingPlan): Promise<boolean> {
    const { name: chain } = setup.profile
    const plan = await resumedPlan(options, setup, asked, signal)
    logger.info({ msg: 'Reading the past of a chain behind its head', chain, ...plan })
    const past = createPastReader({
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
        if (!(await options.adopt(setup, past))) continue
        logger.info({ msg: 'Took over the past of a chain', chain, ...plan })
        void pause(replacedKeptMs).then(() => dropReplaced(options, setup, signal))
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
        if (!signal.aborted) logger.error({ msg: 'Stopped reading the past', chain, err })
      })
      running.push(keeping)
    },
    statusOf(name) {
      if (!wanted.has(name)) return null
      return { wantedNumber: wanted.get(name), reading: readers.get(name)?.reading() ?? null }
    },
    runtimes: () => [...readers.values()].flatMap((past) => past.runtime() ?? []),
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}

/** Where history shall begin; null: where it does. */
async function wantedNumberOf(
  { config, logger }: ChainHistoriesOptions,
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
      : historyStartOf(from, Math.floor(Date.now() / 1_000))
  const ofTwo = (number: number) => Math.min(number, configured ?? number)
  const { past } = chainKindOf(setup)
  const asked = { setup, logger, signal }
  for (;;) {
    try {
      const number =
        'number' in start
          ? ofTwo(start.number)
          : ofTwo(await past.findBlockAt({ ...asked, timeS: start.timeS }))
      return (await past.findBlockFrom?.({ ...asked, number })) ?? number
    } catch (err) {
      signal.throwIfAborted()
      logger.warn({ msg: 'No node says which block history begins with', chain, err })
    }
    await delay(retryMs, undefined, { signal }).catch(() => undefined)
  }
}

/** What is to be read, as soon as the chain itself is at its head. */
function planOf(
  { config }: ChainHistoriesOptions,
  live: ChainRuntime | undefined,
  wantedNumber: number | null,
): ReadingPlan | null {
  const head = live?.engine.head() ?? null
  if (live === undefined || head === null) return null
  const { behind, history, missedPools, forgottenContracts, doubtful } = live.gatewayChain.status()
  if (behind !== null || history.firstNumber === null) return null
  return planReading({
    wantedNumber,
    firstNumber: history.firstNumber,
    headNumber: head.number,
    hasMissedPools: missedPools !== null || Boolean(forgottenContracts),
    hasUntrueBlocks: (doubtful?.untrueCount ?? 0) > 0,
    firstBlocks: config.limits.history_first_blocks,
  })
}

/** A reading that was under way goes on, if it is of use; else what is there of it is dropped. */
async function resumedPlan(
  { store, live }: ChainHistoriesOptions,
  { storeName, profile }: ChainSetup,
  plan: ReadingPlan,
  signal: AbortSignal,
): Promise<ReadingPlan> {
  const chainId = await store.findChain(behindNameOf(storeName))
  if (chainId === null) return plan
  const { firstNumber, number } = await store.loadCursor(chainId)
  if (number < 0 || firstNumber === null) return plan
  const servedFrom = live(profile.name)?.gatewayChain.status().history.firstNumber ?? firstNumber
  const isOfUse = firstNumber <= plan.fromNumber || firstNumber < servedFrom
  if (isOfUse) return { ...plan, fromNumber: firstNumber }
  await store.dropChain(chainId, { signal })
  return plan
}

// So many entries of the log are read in a second or two.
const entriesMax = 5_000
const snapshotWaits = 2

/** Resolves when the reading is at the head and a snapshot has most of it, so that it is opened in a moment. */
async function untilLoadable(
  { config, store }: ChainHistoriesOptions,
  past: PastReader,
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

/** What is left of it is for the next start. */
async function dropReplaced(
  { store, logger }: ChainHistoriesOptions,
  { storeName, profile }: ChainSetup,
  signal: AbortSignal,
): Promise<void> {
  try {
    for (const name of await store.findChainNames(replacedPrefixOf(storeName))) {
      const chainId = await store.findChain(name)
      if (signal.aborted) return
      if (chainId === null) continue
      await store.dropChain(chainId, { signal })
      await removeImagesOf({ chainId, profile }, logger)
    }
  } catch (err) {
    logger.warn({ msg: 'Failed to remove what was replaced', chain: profile.name, err })
  }
}
