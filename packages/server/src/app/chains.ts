import type { Config } from '../config/schema.ts'
import type { GatewayChain } from '../gateway/gatewayChain.ts'
import type { AppError } from '../lib/errors.ts'
import type { Logger } from '../lib/logger.ts'
import type { Metrics } from '../lib/metrics.ts'
import type { LogEntry } from '../model/logEntry.ts'
import type { MarketEvent } from '../model/marketEvent.ts'
import type { Store } from '../store/openStore.ts'
import { type ChainRuntime, openChainRuntime } from './chainRuntime.ts'
import { type ChainSetup, setupOfChain, setupOfDevnet } from './chainSetup.ts'
import { type DevnetProcess, startDevnetProcess } from './devnetProcess.ts'
import type { OnApplied } from './entryApplier.ts'
import type { Database } from './openDatabase.ts'
import { loadSavedDevnet, type SavedDevnet, saveDevnet } from './savedDevnet.ts'

export type ChainsOptions = {
  config: Config
  store: Store
  database: Database
  logger: Logger
  metrics: Metrics
  /** Filled with what is served; an entry is replaced when the local chain starts anew. */
  gatewayChains: Map<string, GatewayChain>
  onFatal(error: AppError): void
  /** Called once a chain is in `gatewayChains` and before it is read. */
  onOpened?(chain: string): Promise<void>
  /** Called with each entry right after the engine took it. */
  onApplied?(chain: string, entry: LogEntry, events: readonly MarketEvent[]): void
}

export type Chains = {
  /** Resolves when every chain is open and being read. */
  start(): Promise<void>
  stop(): Promise<void>
  list(): readonly ChainRuntime[]
  /** Every chain has a first block. */
  isServing(): boolean
  /** The local chain has its history as well, and all of it is applied. */
  isComplete(): boolean
  devnetRpcUrl(): string | null
  examplePairId(): string | null
}

/** All chains of the service: the configured ones, or the local one. */
export function createChains(options: ChainsOptions): Chains {
  const { config, logger, gatewayChains, onFatal } = options
  const isLocal = Object.keys(config.chains).length === 0
  const runtimes = new Map<string, ChainRuntime>()
  let devnet: DevnetProcess | null = null
  let isStopping = false

  /** From here on what is stored of the chain is served; reading it begins with the runtime's start. */
  async function open(chain: SavedDevnet): Promise<ChainRuntime> {
    const { name } = chain.profile
    const running = runtimes.get(name)
    if (running?.storeName === chain.storeName) return running
    await running?.stop()
    const runtime = await openChainRuntime({ ...runtimeOptionsOf(options, name), ...chain })
    runtimes.set(name, runtime)
    gatewayChains.set(name, runtime.gatewayChain)
    await options.onOpened?.(name)
    return runtime
  }

  async function serve(setup: ChainSetup): Promise<void> {
    const runtime = await open(setup)
    await runtime.start(setup)
  }

  async function startDevnet(): Promise<void> {
    const { data_dir: dataDir } = config
    const starting = startDevnetProcess({
      ...{ dataDir, logger, host: config.server.host, port: config.devnet.port },
      ...{ seed: config.devnet.seed, historyS: config.devnet.history_s },
      onEnd: (reason) => void onDevnetEnd(reason),
    })
    // Heard below; a failure before that must not end the process by itself.
    starting.catch(() => undefined)
    // Rebuilding the chain of an earlier run takes its time; its market is served meanwhile.
    const saved = await loadSavedDevnet(dataDir)
    if (saved !== null) await open(saved)
    devnet = await starting
    const setup = setupOfDevnet(devnet, config)
    await saveDevnet(dataDir, { profile: setup.profile, storeName: setup.storeName })
    await serve(setup)
  }

  /** The chain is at its limit: a fresh one takes its place, under another name in the store. */
  async function onDevnetEnd(reason: 'rollover' | 'failed'): Promise<void> {
    if (isStopping) return
    logger.warn({ msg: 'Starting the local chain anew', reason })
    await startDevnet().catch(onFatal)
  }

  const isServing = () => runtimes.size > 0 && allOf(({ engine }) => engine.head() !== null)

  function allOf(holds: (runtime: ChainRuntime) => boolean): boolean {
    return [...runtimes.values()].every(holds)
  }

  function isHistoryMined(): boolean {
    const { minedS, totalS } = devnet?.history() ?? { minedS: 0, totalS: 1 }
    return minedS >= totalS
  }

  return {
    async start() {
      if (isLocal) return await startDevnet()
      const all = Object.entries(config.chains)
      await Promise.all(all.map(([name, chain]) => serve(setupOfChain(name, chain, config))))
    },
    async stop() {
      isStopping = true
      await Promise.all([...runtimes.values()].map((runtime) => runtime.stop()))
      await devnet?.stop()
    },
    list: () => [...runtimes.values()],
    isServing,
    isComplete: () =>
      isServing() &&
      (!isLocal || (isHistoryMined() && allOf((runtime) => runtime.progress()?.isLive === true))),
    devnetRpcUrl: () => devnet?.rpcUrl ?? null,
    examplePairId: () => examplePairIdOf(runtimes),
  }
}

function runtimeOptionsOf(options: ChainsOptions, name: string) {
  const { config, store, database, logger, metrics, onFatal, onApplied } = options
  const { retention, limits } = config
  return {
    ...{ store, logger, metrics, onFatal, connection: database.connection },
    onApplied: ((entry, events) => onApplied?.(name, entry, events)) satisfies OnApplied,
    retention: {
      log: retention.log_days,
      swaps: retention.swaps_days,
      liquidity: retention.liquidity_days,
      klines_s1: retention.klines_s1_days,
      klines_k1: retention.klines_k1_days,
    },
    writerLimits: {
      queueBlocksMax: limits.queue_blocks_max,
      queueBytesMax: limits.queue_bytes_max,
      batchBlocksMax: limits.backfill_batch_blocks_max,
    },
  }
}

/** The main pair of the first chain's native token: it has a price from the first minute on. */
function examplePairIdOf(runtimes: ReadonlyMap<string, ChainRuntime>): string | null {
  for (const [name, { engine, gatewayChain }] of runtimes) {
    const wrapped = engine.findToken(gatewayChain.profile.native.wrappedToken)
    const mainPairId = wrapped === undefined ? null : engine.tokenState(wrapped).mainPairId
    if (mainPairId !== null) return `${engine.pairState(mainPairId).record.address}-${name}`
  }
  return null
}
