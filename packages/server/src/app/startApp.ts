import { mkdir } from 'node:fs/promises'
import type { Config } from '../config/schema.ts'
import { quoteIdsOf } from '../gateway/wallets/readPositions.ts'
import type { AppError } from '../lib/errors.ts'
import type { Logger } from '../lib/logger.ts'
import { createMetrics } from '../lib/metrics.ts'
import { readOpenFilesMax } from '../lib/openFiles.ts'
import { createShutdown } from '../lib/shutdown.ts'
import { createStore } from '../store/openStore.ts'
import type { Chains } from './chains/chains.ts'
import { openDatabase, storeLimitsOf } from './data/openDatabase.ts'
import { localEvm, localKindsOf, localSolana } from './devnet/devnetSetup.ts'
import { findDevnet } from './devnet/findDevnet.ts'
import { fitOpenFiles } from './fitOpenFiles.ts'
import { type SeededKeys, seedKeys, seedOptionsOf } from './keys.ts'
import { createIngest } from './roles/ingest.ts'
import { createServe } from './roles/serve.ts'
import { smartWalletsLimitsOf, startSmartWallets } from './startSmartWallets.ts'
import type { OnStep } from './startStep.ts'
import { untilReady } from './untilReady.ts'
import { warnIfExposed } from './warnIfExposed.ts'

/** What a service that is ready reports to its user. */
export type ReadyInfo = {
  address: string
  /** Null when it is not of this start: then the user has it. */
  apiKey: string | null
  keyFrom: SeededKeys['keyFrom']
  /** When the last key of the earlier starts expires; null when none of them works. */
  earlierKeysUntilS: number | null
  chains: readonly string[]
  /** Chains that are not ready yet, and how far they are. */
  waiting: readonly string[]
  /** Others can reach it, and no proxy is known that would encrypt what they send. */
  isExposed: boolean
  /** JSON-RPC of the local chain, when it runs. */
  devnetRpcUrl: string | null
  /** The same of the generated Solana chain. */
  localsolRpcUrl: string | null
  /** A pair worth looking at, as `<address>-<chain>`. */
  examplePairId: string | null
}

export type StartOptions = {
  logger: Logger
  version: string
  /** Aborted when the user asks to stop while starting. */
  signal: AbortSignal
  /** Told what it is busy with until it is ready. */
  onStep?: OnStep | undefined
  /** Called once. */
  onReady(info: ReadyInfo): void
}

export type RunningApp = {
  address: string
  /** Stops everything in order. */
  stop(): Promise<void>
  /** Resolves after stop; rejects when the service cannot go on. */
  done: Promise<void>
}

/** Joins both halves in one process, on one store, and starts them. What started is stopped in reverse. */
export async function startApp(given: Config, options: StartOptions): Promise<RunningApp> {
  const { logger, version, signal } = options
  const config = fitOpenFiles(given, readOpenFilesMax(), logger)
  const parts = createShutdown({ logger, graceMs: config.fixed.stop_ms_max })
  const ending = createEnding()
  let isStarting = true
  const onStep: OnStep = (step) => {
    if (isStarting) options.onStep?.(step)
  }
  const onFatal = (error: AppError) => ending.fail(error)
  try {
    if (localKindsOf(config).length > 0) findDevnet()
    await mkdir(config.data_dir, { recursive: true, mode: 0o700 })
    const isOwn = config.database_url === undefined
    onStep({ title: isOwn ? 'Starting PostgreSQL' : 'Connecting to the database' })
    const database = await openDatabase(config, { logger, onFatal })
    parts.add('database', database.stop)
    const { connection } = database
    const store = createStore({ connection, logger, limits: storeLimitsOf(config) })
    parts.add('store', store.close)
    const metrics = createMetrics()
    const shared = { config, store, metrics, logger, parts, onFatal, onStep }
    let seeded: SeededKeys | null = null
    const serve = createServe({ ...shared, version, isSeeded: () => seeded !== null })
    const { gatewayChains } = serve.outlet
    const ingest = createIngest({ ...shared, database, outlet: serve.outlet })
    const { chains } = ingest
    // Nothing is changed before the port is ours and nobody else writes the chains: a start that fails leaves no trace.
    const address = await serve.listen()
    const isExposed = warnIfExposed(config.server, address, logger)
    await ingest.start(async (claims) => {
      seeded = await seedKeys(store, seedOptionsOf(config, claims))
    })
    const untilStop = AbortSignal.any([signal, parts.signal])
    void untilReady({
      chains,
      signal: untilStop,
      onWait: () => chains.isMining() || onStep(waitingStep(chains)),
    }).then((isReady) => {
      isStarting = false
      if (!isReady) return
      const wallets = startSmartWallets({
        store,
        chains: () => rankedChains(chains),
        limits: smartWalletsLimitsOf(config),
        logger,
        clock: { nowMs: Date.now },
      })
      parts.add('wallets', wallets.stop)
      const rpcUrls = chains.devnetRpcUrls()
      const examplePairId = chains.examplePairId()
      const names = [...gatewayChains.keys()]
      options.onReady({
        address,
        ...seeded!,
        devnetRpcUrl: rpcUrls.get(localEvm.name) ?? null,
        localsolRpcUrl: rpcUrls.get(localSolana.name) ?? null,
        examplePairId,
        chains: names,
        waiting: chains.waiting(),
        isExposed,
      })
    })
    return {
      address,
      done: ending.done,
      async stop() {
        await parts.stop('stop')
        ending.finish()
      },
    }
  } catch (error) {
    await parts.stop('failure')
    throw error
  }
}

function waitingStep(chains: Chains) {
  return { title: 'Catching up with the chains', note: chains.waiting().join('; ') }
}

function rankedChains(chains: Chains) {
  return chains.list().flatMap(({ chainId, engine, gatewayChain }) => {
    const headS = engine.head()?.timeS
    if (headS === undefined) return []
    const quoteIds = quoteIdsOf(gatewayChain)
    return [{ chainId, chain: gatewayChain.profile.name, headS, quoteIds }]
  })
}

function createEnding() {
  let finish!: () => void
  let fail!: (error: AppError) => void
  const done = new Promise<void>((resolve, reject) => {
    finish = resolve
    fail = reject
  })
  // A failure before anyone waits must not end the process by itself.
  done.catch(() => undefined)
  return { done, finish, fail }
}
