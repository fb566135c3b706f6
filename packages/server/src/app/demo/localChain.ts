import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../../config/schema/schema.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import type { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Store } from '../../store/openStore.ts'
import type { ChainRuntime } from '../chain/chainRuntime.ts'
import { DevnetUnstableError } from '../errors.ts'
import type { OnStartStep } from '../startStep.ts'
import {
  type DevnetEnd,
  type DevnetProcess,
  type ReadyDevnet,
  startDevnetProcess,
} from './devnetProcess.ts'
import { devnetProcessOptions, type LocalChainKind } from './devnetSetup.ts'
import {
  deleteReplacedChains,
  loadSavedDevnet,
  nextStoreName,
  type SavedDevnet,
  saveDevnet,
} from './savedDevnet.ts'

/** Identifies a chain in the store. */
export type ChainIdentity = Pick<ChainSetup, 'kind' | 'profile' | 'storeName' | 'startBlock'>

type LocalChainOptions = {
  local: LocalChainKind
  config: Config
  store: Pick<Store, 'findChain' | 'dropChain'>
  logger: Logger
  /** Loads the stored chain and serves it in place of the previous chain of that name. */
  open(chain: ChainIdentity): Promise<ChainRuntime>
  /** Stops indexing and storing the chain; its market is still served, unchanged. */
  close(name: string): Promise<void>
  onFatal(error: AppError): void
  onStep?: OnStartStep | undefined
}

export type LocalChain = {
  /** Resolves when the chain runs and is being indexed. */
  start(): Promise<void>
  /** Starts no more processes; the running process keeps answering its indexer. */
  stop(): Promise<void>
  /** Ends the chain's process. Call it after indexing has stopped. */
  endProcess(): Promise<void>
  /**
   * Call after a user reverted final blocks by hand: indexes the same process again, as a different
   * chain.
   */
  reindex(): void
  rpcUrl(): string | null
  isHistoryMined(): boolean
}

/**
 * Runs the local chain in a child process, and restarts it when the chain reaches its size limit or
 * fails.
 */
export function createLocalChain(options: LocalChainOptions): LocalChain {
  const { local, config, store, logger, onFatal } = options
  const [dataDir, folder] = [config.data_dir, local.folder]
  const stopping = new AbortController()
  const { signal } = stopping
  let child: DevnetProcess | null = null
  let devnet: ReadyDevnet | null = null
  let cleaning: Promise<void> = Promise.resolve()
  const pause = createRestartPause({ config, logger, signal })
  const restarts = createSerialQueue((error) => signal.aborted || onFatal(error as AppError))

  async function start(): Promise<void> {
    // Reuse the port, so that RPC clients find the restarted chain.
    const port = devnet === null ? undefined : Number(new URL(devnet.rpcUrl).port)
    child = startDevnetProcess({
      ...devnetProcessOptions(local, config, port),
      logger,
      onStep: options.onStep,
      onEnd: (reason) => restarts.add(() => restart(reason)),
    })
    devnet = await child.ready
    if (signal.aborted) return
    await serve(local.setupOf(devnet, config), await loadSavedDevnet(dataDir, folder))
  }

  /** Indexes and serves this chain, and deletes every earlier local chain from the store. */
  async function serve(setup: ChainSetup, saved: SavedDevnet | null): Promise<void> {
    const now = { profile: setup.profile, storeName: setup.storeName }
    const past = saved === null ? [] : [...saved.retired, saved.storeName]
    const retired = past.filter((storeName) => storeName !== now.storeName)
    await saveDevnet(dataDir, { ...now, retired }, folder)
    const runtime = await options.open(setup)
    await runtime.start(setup)
    const { engine } = runtime
    const dropped = { ...now, retired }
    cleaning = deleteReplacedChains({
      dataDir,
      folder,
      saved: dropped,
      engine,
      store,
      logger,
      signal,
    })
  }

  /** Replaces a chain that ended. The new chain has another name in the store. */
  async function restart(reason: DevnetEnd): Promise<void> {
    if (signal.aborted) return
    await pause(reason)
    if (signal.aborted) return
    await cleaning
    // Close first: the indexer would take a new chain at the same address for a reorg of
    // everything.
    if (devnet !== null) await options.close(devnet.profile.name)
    await start()
  }

  async function renew(): Promise<void> {
    const saved = await loadSavedDevnet(dataDir, folder)
    if (devnet === null || saved === null || signal.aborted) return
    logger.warn({ msg: 'Indexing the local chain again: final blocks were reverted' })
    await cleaning
    await options.close(devnet.profile.name)
    const setup = local.setupOf(devnet, config)
    await serve({ ...setup, storeName: nextStoreName(setup.storeName, saved) }, saved)
  }

  return {
    start,
    async stop() {
      stopping.abort()
      await cleaning
      if (restarts.isIdle()) return
      // A restart is waiting for the new process, which is not indexed yet.
      await child?.stop()
      await restarts.idle()
    },
    async endProcess() {
      await child?.stop()
    },
    reindex: () => restarts.add(renew),
    rpcUrl: () => devnet?.rpcUrl ?? null,
    isHistoryMined: () => isHistoryMined(devnet),
  }
}

function isHistoryMined(devnet: ReadyDevnet | null): boolean {
  const { minedS, totalS } = devnet?.history() ?? { minedS: 0, totalS: 1 }
  return minedS >= totalS
}

/** Waits before a restart; throws if a failing chain was restarted too often. */
function createRestartPause({
  config,
  logger,
  signal,
}: {
  config: Config
  logger: Logger
  signal: AbortSignal
}): (reason: DevnetEnd) => Promise<void> {
  const { restarts_max: restartsMax, restarts_period_s: periodS } = config.devnet
  const budget = createRestartBudget(restartsMax, 1_000 * periodS)
  return async (reason) => {
    const waitMs = reason === 'rollover' ? 0 : budget.take(performance.now())
    if (waitMs === null) throw new DevnetUnstableError({ restartsMax, periodS })
    logger.warn({ msg: 'Restarting the local chain', reason, waitMs })
    await delay(waitMs, undefined, { signal }).catch(() => undefined)
  }
}

/** Runs tasks one after another, in the order they were added. */
type SerialQueue = {
  add(work: () => Promise<void>): void
  isIdle(): boolean
  /** Resolves when all added tasks have ended. */
  idle(): Promise<void>
}

export function createSerialQueue(onError: (error: unknown) => void): SerialQueue {
  let last: Promise<void> = Promise.resolve()
  let count = 0
  return {
    add(work) {
      count += 1
      last = last
        .then(work)
        .catch(onError)
        .finally(() => {
          count -= 1
        })
    },
    isIdle: () => count === 0,
    idle: () => last,
  }
}

type RestartBudget = {
  /** Returns how long to wait before the next restart; null: the budget is used up. */
  take(nowMs: number): number | null
}

// The first restart is immediate; later ones wait at least this long.
const waitMsMin = 1_000
const waitMsMax = 30_000

/**
 * Limits how often a failing process is restarted within a period, and spaces the restarts.
 */
export function createRestartBudget(restartsMax: number, periodMs: number): RestartBudget {
  let taken: number[] = []
  return {
    take(nowMs) {
      taken = taken.filter((atMs) => nowMs - atMs < periodMs)
      if (taken.length >= restartsMax) return null
      const waitMs = taken.length === 0 ? 0 : waitMsMin * 2 ** (taken.length - 1)
      taken.push(nowMs)
      return Math.min(waitMsMax, waitMs)
    },
  }
}
