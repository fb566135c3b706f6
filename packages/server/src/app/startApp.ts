import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { marketMemoryOf } from '../config/schema/limitsSchema.ts'
import { isLogOnNats } from '../config/schema/natsSchema.ts'
import type { Config } from '../config/schema/schema.ts'
import { ListenError } from '../gateway/ground/errors.ts'
import type { AppError } from '../lib/errors.ts'
import { readOpenFilesMax } from '../lib/files/openFiles.ts'
import type { Logger } from '../lib/logger.ts'
import { logWhileWaiting } from '../lib/logWhileWaiting.ts'
import { addProcessMetrics, createMetrics } from '../lib/metrics.ts'
import { createShutdown } from '../lib/shutdown.ts'
import { describeConnection } from '../store/connection.ts'
import { createRequiredSeqs, createStore } from '../store/openStore.ts'
import { readSchema } from '../store/schema.ts'
import { openChainLogs } from './chain/chainLogs.ts'
import type { WarmMarkets } from './chain/warmMarket.ts'
import { openDataDirId, readTerminalToken, writeTerminalUrl } from './dataDir.ts'
import { findDevnet } from './demo/devnetProcess.ts'
import { localChainKinds } from './demo/devnetSetup.ts'
import { limitConnections } from './fitOpenFiles.ts'
import { type Database, openDatabase, storeLimitsOf } from './openDatabase.ts'
import type { Chains } from './roles/chains.ts'
import { gatewayOptionsOf, printsTerminalUrl } from './roles/gatewayOptions.ts'
import type { StartupInfo } from './roles/startedRole.ts'
import { startGateway } from './roles/startGateway.ts'
import { startIndexing } from './roles/startIndexing.ts'
import type { OnStartStep } from './startStep.ts'

export type StartOptions = {
  logger: Logger
  version: string
  /** Aborts when the user stops the service during its start. */
  signal: AbortSignal
  /** Configured chains that this start does not run. @default none */
  leftOut?: readonly string[] | undefined
  /** Receives the steps of the start until the service is ready. */
  onStep?: OnStartStep | undefined
  /** Called once, when the service is ready. */
  onReady(info: StartupInfo): void
}

type RunningApp = {
  address: string
  /** Stops all parts in reverse order. */
  stop(): Promise<void>
  /** Resolves after `stop`; rejects when the service cannot continue. */
  done: Promise<void>
}

/**
 * Starts the configured role: indexing and serving in one process, or only one of the two. Started
 * parts are stopped in reverse order.
 * A restart is the same start: `openChainRuntime` loads each chain's newest snapshot and the log
 * behind it, and its worker resumes after the last stored block.
 */
export async function startApp(given: Config, options: StartOptions): Promise<RunningApp> {
  const { logger, version, signal, leftOut = [] } = options
  const config = limitConnections(given, readOpenFilesMax(), logger)
  const parts = createShutdown({ logger, graceMs: config.fixed.stop_ms_max })
  const ending = createEnding()
  let isStarting = true
  const onStep: OnStartStep = (step) => {
    if (isStarting) options.onStep?.(step)
  }
  const onFatal = (error: AppError) => ending.fail(error)
  try {
    await requireFreePorts(config)
    if (localChainKinds(config).length > 0) findDevnet()
    await mkdir(config.data_dir, { recursive: true, mode: 0o700 })
    const isOwn = config.database_url === undefined
    onStep({ title: isOwn ? 'Starting PostgreSQL' : 'Connecting to the database' })
    const database = ofRole(config, await openDatabase(config, { logger, onFatal }))
    parts.add('database', database.stop)
    const { connection } = database
    // Reject a store of another schema version before writing files next to it.
    const waitsFor = `the database at ${describeConnection(connection)}`
    await logWhileWaiting(readSchema(connection), { logger, waitsFor })
    const warmMarkets: WarmMarkets = new Map()
    const floor = createRequiredSeqs({ isFilled: isLogOnNats(config) })
    const plain = createStore({ connection, logger, limits: storeLimitsOf(config), floor })
    parts.add('store', plain.close)
    const { store, close } = await openChainLogs(config, plain, logger, warmMarkets)
    parts.add('logs', close)
    const untilStop = AbortSignal.any([signal, parts.signal])
    const dataDirId = await openDataDirId(config.data_dir)
    const terminalToken = printsTerminalUrl(config)
      ? await readTerminalToken(config.data_dir)
      : null
    const metrics = createMetrics()
    addProcessMetrics(metrics)
    metrics.marketMemoryBytes.set(marketMemoryOf(config))
    const shared = {
      config,
      terminalToken,
      dataDirId,
      store,
      floor,
      database,
      leftOut,
      warmMarkets,
      logger,
      version,
      parts,
      onFatal,
      onStep,
      signal: untilStop,
      metrics,
    }
    const role = await (config.role === 'gateway' ? startGateway : startIndexing)(shared)
    const { address, chains } = role
    const terminalUrl =
      terminalToken === null
        ? null
        : await writeTerminalUrl(config.data_dir, address, terminalToken)
    void untilReady({
      chains,
      signal: untilStop,
      patienceMs: config.fixed.ready_ms_max,
      onWait: () => chains.isMining() || onStep(waitingStep(chains)),
    }).then((isReady) => {
      isStarting = false
      if (!isReady) return
      const waiting = chains.waiting()
      options.onReady({ address, terminalUrl, ...role.ready(), waiting })
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

/** Marks database sessions of an indexer, so that other tools can distinguish these sessions. */
function ofRole({ role }: Config, database: Database): Database {
  const { connection } = database
  if (role !== 'indexer' || !('databaseUrl' in connection)) return database
  return { ...database, connection: { ...connection, isIndexer: true } }
}

function waitingStep(chains: Pick<Chains, 'waiting'>) {
  return { title: 'Catching up with the chains', note: chains.waiting().join('; ') }
}

function createEnding() {
  let finish!: () => void
  let fail!: (error: AppError) => void
  const done = new Promise<void>((resolve, reject) => {
    finish = resolve
    fail = reject
  })
  // Avoids an unhandled rejection if the service fails before anything awaits `done`.
  done.catch(() => undefined)
  return { done, finish, fail }
}

/** Throws a ListenError if a configured port is taken, before the start changes anything. */
async function requireFreePorts(config: Config): Promise<void> {
  const { host, port, metricsAt, adminAt } = gatewayOptionsOf(config)
  for (const place of [{ host, port }, metricsAt, adminAt])
    if (place !== null) await requireFreePort(place)
}

async function requireFreePort({ host, port }: { host: string; port: number }): Promise<void> {
  // Drop clients that connect meanwhile, since an open connection would delay the close.
  const server = createServer((socket) => socket.destroy())
  try {
    server.listen({ host, port })
    await once(server, 'listening')
  } catch (cause) {
    throw new ListenError({ host, port, cause })
  }
  server.close()
  await once(server, 'close')
}

export type UntilReadyOptions = {
  chains: Pick<Chains, 'isComplete' | 'isServing' | 'isMining'>
  /** Called repeatedly while waiting. */
  onWait?: (() => void) | undefined
  signal: AbortSignal
  /**
   * Maximum time to wait. Nodes that are down, or a slow local chain, must not keep users from what
   * works already.
   */
  patienceMs: number
}

const pollMs = 50

/**
 * Resolves with true when every chain is ready or the wait times out; false: the signal aborted
 * first.
 */
export async function untilReady(options: UntilReadyOptions): Promise<boolean> {
  const { chains, signal, patienceMs } = options
  const startMs = performance.now()
  while (!signal.aborted) {
    if (chains.isComplete()) return true
    // The local chain is certain to come up, so wait for it. Nodes of other chains may be down for
    // hours; the banner reports them.
    const isToWaitFor = chains.isMining() && !chains.isServing()
    if (!isToWaitFor && performance.now() - startMs > patienceMs) return true
    options.onWait?.()
    await delay(pollMs, undefined, { signal }).catch(() => undefined)
  }
  return false
}
