import type { Config } from '../config/schema.ts'
import type { GatewayChain } from '../gateway/gatewayChain.ts'
import type { AppError } from '../lib/errors.ts'
import type { Logger } from '../lib/logger.ts'
import type { Metrics } from '../lib/metrics.ts'
import type { ChainProfile } from '../model/chainProfile.ts'
import type { Store } from '../store/openStore.ts'
import { type ChainRuntime, openChainRuntime } from './chainRuntime.ts'
import { type ChainSetup, setupOfChain, setupOfDevnet } from './chainSetup.ts'
import { type DevnetProcess, startDevnetProcess } from './devnetProcess.ts'
import type { Database } from './openDatabase.ts'

export type ChainsOptions = {
  config: Config
  store: Store
  database: Database
  logger: Logger
  metrics: Metrics
  /** Filled with what is served; an entry is replaced when the local chain starts anew. */
  gatewayChains: Map<string, GatewayChain>
  onFatal(error: AppError): void
}

export type Chains = {
  /** Resolves when every chain is open and being read. */
  start(): Promise<void>
  stop(): Promise<void>
  list(): readonly ChainRuntime[]
  devnetRpcUrl(): string | null
  examplePairId(): string | null
}

/** All chains of the service: the configured ones, or the local one. */
export function createChains(options: ChainsOptions): Chains {
  const { config, store, database, logger, metrics, gatewayChains, onFatal } = options
  const runtimes = new Map<string, ChainRuntime>()
  let devnet: DevnetProcess | null = null

  function open(profile: ChainProfile, storeName: string): Promise<ChainRuntime> {
    const { retention, limits } = config
    return openChainRuntime({
      storeName,
      profile,
      store,
      connection: database.connection,
      retention: {
        swaps: retention.swaps_days,
        liquidity: retention.liquidity_days,
        klines_s1: retention.klines_s1_days,
        klines_k1: retention.klines_k1_days,
      },
      queueBlocksMax: limits.queue_blocks_max,
      batchBlocksMax: limits.backfill_batch_blocks_max,
      logger,
      metrics,
      onFatal,
    })
  }

  async function serve(setup: ChainSetup): Promise<void> {
    const { name } = setup.profile
    await runtimes.get(name)?.stop()
    const runtime = await open(setup.profile, setup.storeName)
    runtimes.set(name, runtime)
    gatewayChains.set(name, runtime.gatewayChain)
    await runtime.start(setup)
  }

  async function startDevnet(): Promise<void> {
    devnet = await startDevnetProcess({
      host: config.server.host,
      port: config.devnet.port,
      dataDir: config.data_dir,
      seed: config.devnet.seed,
      historyS: config.devnet.history_s,
      logger,
      onEnd: (reason) => void onDevnetEnd(reason).catch(onFatal),
    })
    await serve(setupOfDevnet(devnet, config))
  }

  /** The chain is at its limit: a fresh one takes its place, under another name in the store. */
  async function onDevnetEnd(reason: 'rollover' | 'failed'): Promise<void> {
    logger.warn({ msg: 'Local chain starts anew', reason })
    await startDevnet()
  }

  return {
    async start() {
      const configured = Object.entries(config.chains)
      if (configured.length === 0) return await startDevnet()
      await Promise.all(configured.map(([name, chain]) => serve(setupOfChain(name, chain, config))))
    },
    async stop() {
      await Promise.all([...runtimes.values()].map((runtime) => runtime.stop()))
      await devnet?.stop()
    },
    list: () => [...runtimes.values()],
    devnetRpcUrl: () => devnet?.rpcUrl ?? null,
    examplePairId() {
      for (const [name, { engine, gatewayChain }] of runtimes) {
        const wrapped = engine.findToken(gatewayChain.profile.native.wrappedToken)
        const mainPairId = wrapped === undefined ? null : engine.tokenState(wrapped).mainPairId
        if (mainPairId !== null) return `${engine.pairState(mainPairId).record.address}-${name}`
      }
      return null
    },
  }
}
