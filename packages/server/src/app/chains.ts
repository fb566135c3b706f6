import type { Config } from '../config/schema.ts'
import type { StandingBlock } from '../gateway/feed/standingBlocks.ts'
import type { GatewayChain } from '../gateway/gatewayChain.ts'
import type { AppError } from '../lib/errors.ts'
import type { Logger } from '../lib/logger.ts'
import type { Metrics } from '../lib/metrics.ts'
import type { LogEntry } from '../model/logEntry.ts'
import type { MarketEvent } from '../model/marketEvent.ts'
import type { Store } from '../store/openStore.ts'
import { type ChainRuntime, type OpenedRuntime, openChainRuntime } from './chainRuntime.ts'
import { type ChainSetup, setupOfChain } from './chainSetup.ts'
import { createLocalChain, type OpenedChain } from './localChain.ts'
import { createNativePrices } from './nativePrices.ts'
import type { Database } from './openDatabase.ts'
import { riskLimitsOf } from './riskLimitsOf.ts'

export type ChainsOptions = {
  config: Config
  store: Store
  database: Database
  logger: Logger
  metrics: Metrics
  /** Filled with what is served; an entry is replaced when the local chain starts anew. */
  gatewayChains: Map<string, GatewayChain>
  onFatal(error: AppError): void
  /** Called once a chain is in `gatewayChains` and before it is read; one that follows another is there when it has a block. */
  onOpened?(chain: string, newest: readonly StandingBlock[]): void
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
  const { config, gatewayChains } = options
  const runtimes = new Map<string, ChainRuntime>()
  const nativePrices = createNativePrices(config, runtimes)
  const isLocal = Object.keys(config.chains).length === 0
  const local = isLocal ? createLocalChain({ ...options, open, close }) : null

  /** From here on what is stored of the chain is served; reading it begins with the runtime's start. */
  async function open(chain: OpenedChain): Promise<ChainRuntime> {
    const { name } = chain.profile
    const running = runtimes.get(name)
    if (running?.storeName === chain.storeName) return running
    await close(name)
    const { runtime, newest }: OpenedRuntime = await openChainRuntime({
      ...runtimeOptionsOf(options),
      ...chain,
      onApplied(entry, events) {
        gatewayChains.set(name, runtime.gatewayChain)
        options.onApplied?.(name, entry, events)
        nativePrices.applied(name)
      },
    })
    runtimes.set(name, runtime)
    // A market without a block has nothing to serve: until its first one its predecessor is.
    if (runtime.engine.head() === null && gatewayChains.has(name)) return runtime
    gatewayChains.set(name, runtime.gatewayChain)
    options.onOpened?.(name, newest)
    return runtime
  }

  /** Ends reading and storing. The market is served as it is until another takes its place. */
  async function close(name: string): Promise<void> {
    const runtime = runtimes.get(name)
    runtimes.delete(name)
    await runtime?.stop()
  }

  async function serveAll(): Promise<void> {
    const setups = Object.entries(config.chains).map(([name, chain]) =>
      setupOfChain(name, chain, config),
    )
    const opened = new Map(setups.map((setup) => [setup.profile.name, open(setup)]))
    const serve = async (setup: ChainSetup) => {
      const { name } = setup.profile
      const runtime = await opened.get(name)!
      const source = config.chains[name]?.native_usd_from
      // What is stored of the source may have the price already.
      if (source !== undefined) {
        await opened.get(source)
        nativePrices.applied(source)
      }
      await runtime.start(setup)
    }
    await Promise.all(setups.map(serve))
  }

  const isServing = () => runtimes.size > 0 && allOf(({ engine }) => engine.head() !== null)

  function allOf(holds: (runtime: ChainRuntime) => boolean): boolean {
    return [...runtimes.values()].every(holds)
  }

  return {
    async start() {
      if (local !== null) return await local.start()
      await serveAll()
    },
    async stop() {
      await local?.stop()
      await Promise.all([...runtimes.keys()].map(close))
      await local?.end()
    },
    list: () => [...runtimes.values()],
    isServing,
    isComplete: () =>
      isServing() && (local === null || (local.isHistoryMined() && allOf(isCaughtUp))),
    devnetRpcUrl: () => local?.rpcUrl() ?? null,
    examplePairId: () => examplePairIdOf(runtimes),
  }
}

// What is mined while a block is on its way to the engine, with some slack.
const behindBlocksMax = 8

/** The chain's thread is at the head, and the engine has what it read. */
function isCaughtUp({ engine, progress }: ChainRuntime): boolean {
  const now = progress()
  if (now === null || !now.isLive) return false
  return now.headNumber - (engine.head()?.number ?? -1) <= behindBlocksMax
}

function runtimeOptionsOf(options: ChainsOptions) {
  const { config, store, database, logger, metrics, onFatal } = options
  const { retention, limits } = config
  return {
    ...{ store, logger, metrics, onFatal, connection: database.connection },
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
    riskLimits: riskLimitsOf(config),
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
