import { mkdir } from 'node:fs/promises'
import type { Config } from '../config/schema.ts'
import { createFeed } from '../gateway/feed/createFeed.ts'
import { createStoreHistory } from '../gateway/feed/storeHistory.ts'
import { createGateway } from '../gateway/gateway.ts'
import type { GatewayChain } from '../gateway/gatewayChain.ts'
import { createKeyAdmin } from '../gateway/keys/keyAdmin.ts'
import { quoteIdsOf } from '../gateway/wallets/readPositions.ts'
import type { AppError } from '../lib/errors.ts'
import type { Logger } from '../lib/logger.ts'
import { createMetrics } from '../lib/metrics.ts'
import { readOpenFilesMax } from '../lib/openFiles.ts'
import { createShutdown, type Shutdown } from '../lib/shutdown.ts'
import { withNotice } from '../lib/waitNotice.ts'
import { type ChainClaim, claimChains } from '../store/claimChains.ts'
import { describeConnection, type StoreConnection } from '../store/connection.ts'
import { createStore, prepareSchema } from '../store/openStore.ts'
import { type Chains, createChains } from './chains.ts'
import { claimedChainsOf } from './claimedChains.ts'
import { findDevnet } from './findDevnet.ts'
import { fitOpenFiles } from './fitOpenFiles.ts'
import { gatewayOptionsOf } from './gatewayOptions.ts'
import { keyPlansOf } from './keyPlans.ts'
import { openDatabase } from './openDatabase.ts'
import { openKeyAccess } from './openKeyAccess.ts'
import { type SeedOptions, seedKeys } from './seedKeys.ts'
import { smartWalletsLimitsOf, startSmartWallets } from './startSmartWallets.ts'
import { startSnapshots } from './startSnapshots.ts'
import { storeLimitsOf } from './storeLimits.ts'
import { untilReady } from './untilReady.ts'
import { warnIfExposed } from './warnIfExposed.ts'

/** What a service that is ready tells its user. */
export type ReadyInfo = {
  address: string
  /** Null when only its hash is known: then the user has it. */
  apiKey: string | null
  /** When the last key of the earlier starts expires; null when none of them works. */
  earlierKeysUntilS: number | null
  chains: readonly string[]
  /** Chains that are not ready yet, and how far they are. */
  waiting: readonly string[]
  /** Others can reach it, and no proxy is known that would encrypt what they send. */
  isExposed: boolean
  /** JSON-RPC of the local chain, when it runs. */
  devnetRpcUrl: string | null
  /** A pair worth looking at, as `<address>-<chain>`. */
  examplePairId: string | null
}

export type StartOptions = {
  logger: Logger
  version: string
  /** Aborted when the user asks to stop while starting. */
  signal: AbortSignal
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

/** Wires the stages and starts them: database, chains, gateway. What started is stopped in reverse. */
export async function startApp(given: Config, options: StartOptions): Promise<RunningApp> {
  const { logger, version, signal } = options
  const config = fitOpenFiles(given, readOpenFilesMax(), logger)
  const parts = createShutdown({ logger, graceMs: config.limits.stop_ms_max })
  const ending = createEnding()
  const onFatal = (error: AppError) => ending.fail(error)
  try {
    if (isLocal(config)) findDevnet()
    await mkdir(config.data_dir, { recursive: true, mode: 0o700 })
    const database = await openDatabase(config, { logger, onFatal })
    parts.add('database', database.stop)
    const { connection } = database
    const store = createStore({ connection, logger, limits: storeLimitsOf(config) })
    parts.add('store', store.close)
    const metrics = createMetrics()
    const gatewayChains = new Map<string, GatewayChain>()
    const clock = { nowMs: Date.now }
    const history = createStoreHistory(store)
    const feed = createFeed({ chains: gatewayChains, history, clock, logger })
    const chains = createChains({
      ...{ config, store, database, logger, metrics, gatewayChains, onFatal },
      onOpened: feed.open,
      onRewound: feed.rewound,
      consumers: [feed],
    })
    const plans = keyPlansOf(config)
    let isSeeded = false
    const keys = openKeyAccess(config, {
      ...{ store, clock, logger, metrics, isSeeded: () => isSeeded },
    })
    parts.add('keys', keys.close)
    const gateway = createGateway({
      ...gatewayOptionsOf(config),
      ...{ version, chains: gatewayChains, keys, store, feed, metrics, logger, clock },
      admin: { adminKey: config.admin_key, keys: createKeyAdmin({ store, plans, clock }), plans },
    })
    // Nothing is changed before the port is ours and nobody else writes the chains: a start that fails leaves no trace.
    const address = await gateway.listen()
    logger.info({ msg: 'Listening', address })
    const isExposed = warnIfExposed(config.server, address, logger)
    parts.add('gateway', gateway.close)
    const claim = await takeDatabase(config, connection, { logger, parts })
    parts.add('chains', chains.stop)
    await chains.start()
    const seeded = await seedKeys(store, seedOptionsOf(config, claim.claims))
    isSeeded = true
    await claim.release()
    const snapshots = startSnapshots({ config, chains, connection, metrics, logger })
    parts.add('snapshots', snapshots.stop)
    const untilStop = AbortSignal.any([signal, parts.signal])
    void untilReady({ chains, signal: untilStop }).then((isReady) => {
      if (!isReady) return
      const wallets = startSmartWallets({
        store,
        chains: () => rankedChains(chains),
        limits: smartWalletsLimitsOf(config),
        ...{ logger, clock },
      })
      parts.add('wallets', wallets.stop)
      const devnetRpcUrl = chains.devnetRpcUrl()
      const examplePairId = chains.examplePairId()
      const names = [...gatewayChains.keys()]
      options.onReady({
        ...{ address, ...seeded, devnetRpcUrl, examplePairId },
        ...{ chains: names, waiting: chains.waiting(), isExposed },
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

function isLocal({ chains }: Config): boolean {
  return Object.keys(chains).length === 0
}

/** Claims the chains and brings the schema up to date; a database that hangs is told of meanwhile. */
async function takeDatabase(
  config: Config,
  connection: StoreConnection,
  { logger, parts }: { logger: Logger; parts: Shutdown },
): Promise<ChainClaim> {
  let waitsFor = `the database at ${describeConnection(connection)}`
  const notice = { logger, waitsFor: () => waitsFor }
  const claiming = claimChains(connection, await claimedChainsOf(config), (chain) => {
    waitsFor = `another process to let go of the chain "${chain}"`
  })
  const claim = await withNotice(claiming, notice)
  parts.add('claim', claim.release)
  waitsFor = 'the schema of the database'
  await withNotice(prepareSchema(connection, logger), notice)
  return claim
}

function seedOptionsOf(config: Config, chains: readonly string[]): SeedOptions {
  const { api_key: configured, limits } = config
  return {
    ...{ configured, isLocal: isLocal(config), chains, nowS: Math.floor(Date.now() / 1_000) },
    limits: { startKeyGraceS: limits.start_key_grace_s, startKeysMax: limits.start_keys_max },
  }
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
