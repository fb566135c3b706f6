import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../../config/schema/schema.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import type { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Store } from '../../store/openStore.ts'
import type { ChainRuntime } from '../chain/chainRuntime.ts'
import { DevnetUnstableError } from '../errors.ts'
import type { OnStep } from '../startStep.ts'
import {
  type DevnetEnd,
  type DevnetProcess,
  type ReadyDevnet,
  startDevnetProcess,
} from './devnetProcess.ts'
import { type LocalKind, processOptionsOf } from './devnetSetup.ts'
import { createRestartBudget } from './restartBudget.ts'
import {
  dropRetired,
  loadSavedDevnet,
  nextNameOf,
  type SavedDevnet,
  saveDevnet,
} from './savedDevnet.ts'
import { createSerialQueue } from './serialQueue.ts'

/** A chain as the store knows it. */
export type OpenedChain = Pick<ChainSetup, 'kind' | 'profile' | 'storeName' | 'startBlock'>

export type LocalChainOptions = {
  local: LocalKind
  config: Config
  store: Pick<Store, 'findChain' | 'dropChain'>
  logger: Logger
  /** Serves what is stored of a chain, in place of the one that had its name. */
  open(chain: OpenedChain): Promise<ChainRuntime>
  /** Ends reading and storing the chain of this name; it is served as it is. */
  close(name: string): Promise<void>
  onFatal(error: AppError): void
  onStep?: OnStep | undefined
}

export type LocalChain = {
  /** Resolves when the chain runs and is being read. */
  start(): Promise<void>
  /** From here on nothing is begun any more; the chain still answers who reads it. */
  stop(): Promise<void>
  /** Ends the chain's process; after nobody reads it. */
  end(): Promise<void>
  /** Its final blocks were reverted by hand: it is stored again, as another chain. */
  renew(): void
  rpcUrl(): string | null
  isHistoryMined(): boolean
}

/** The local chain in a process of its own, and its successor when it has grown to its limit or broke. */
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
    // A successor takes the address of the chain before it, so that clients of the RPC find it.
    const port = devnet === null ? undefined : Number(new URL(devnet.rpcUrl).port)
    child = startDevnetProcess({
      ...processOptionsOf(local, config, port),
      logger,
      onStep: options.onStep,
      onEnd: (reason) => restarts.add(() => restart(reason)),
    })
    devnet = await child.ready
    if (signal.aborted) return
    await serve(local.setupOf(devnet, config), await loadSavedDevnet(dataDir, folder))
  }

  /** Every chain but this one, of this run or an earlier one, leaves the store. */
  async function serve(setup: ChainSetup, saved: SavedDevnet | null): Promise<void> {
    const now = { profile: setup.profile, storeName: setup.storeName }
    const past = saved === null ? [] : [...saved.retired, saved.storeName]
    const retired = past.filter((storeName) => storeName !== now.storeName)
    await saveDevnet(dataDir, { ...now, retired }, folder)
    const runtime = await options.open(setup)
    await runtime.start(setup)
    const { engine } = runtime
    const dropped = { ...now, retired }
    cleaning = dropRetired({ dataDir, folder, saved: dropped, engine, store, logger, signal })
  }

  /** A chain that ended has a successor, with another name in the store. */
  async function restart(reason: DevnetEnd): Promise<void> {
    if (signal.aborted) return
    await pause(reason)
    if (signal.aborted) return
    await cleaning
    // Its reader would take a successor behind the same address for a reorg of everything.
    if (devnet !== null) await options.close(devnet.profile.name)
    await start()
  }

  async function renew(): Promise<void> {
    const saved = await loadSavedDevnet(dataDir, folder)
    if (devnet === null || saved === null || signal.aborted) return
    logger.warn({ msg: 'Storing the local chain again: blocks that were final were reverted' })
    await cleaning
    await options.close(devnet.profile.name)
    const setup = local.setupOf(devnet, config)
    await serve({ ...setup, storeName: nextNameOf(setup.storeName, saved) }, saved)
  }

  return {
    start,
    async stop() {
      stopping.abort()
      await cleaning
      if (restarts.isIdle()) return
      // It waits for the new chain, which nobody reads yet.
      await child?.stop()
      await restarts.idle()
    },
    async end() {
      await child?.stop()
    },
    renew: () => restarts.add(renew),
    rpcUrl: () => devnet?.rpcUrl ?? null,
    isHistoryMined: () => isHistoryMined(devnet),
  }
}

function isHistoryMined(devnet: ReadyDevnet | null): boolean {
  const { minedS, totalS } = devnet?.history() ?? { minedS: 0, totalS: 1 }
  return minedS >= totalS
}

/** Waits before a restart; rejects when a chain that breaks was restarted too often. */
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
  const budget = createRestartBudget({ restartsMax, periodMs: 1_000 * periodS })
  return async (reason) => {
    const waitMs = reason === 'rollover' ? 0 : budget.take(performance.now())
    if (waitMs === null) throw new DevnetUnstableError({ restartsMax, periodS })
    logger.warn({ msg: 'Starting the local chain again', reason, waitMs })
    await delay(waitMs, undefined, { signal }).catch(() => undefined)
  }
}
