import type { Config } from '../../config/schema/schema.ts'
import type { GatewayChain } from '../../gateway/chain/gatewayChain.ts'
import type { RecentLimits } from '../../gateway/chain/recentBlocks.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import type { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Metrics } from '../../lib/metrics.ts'
import type { EntryConsumer } from '../../model/logEntry.ts'
import { defaultWriterLimits } from '../../store/blockWriter.ts'
import type { Store } from '../../store/openStore.ts'
import { type ChainRuntime, openChainRuntime } from '../chain/chainRuntime.ts'
import { headLimitsOf, readinessLimitsOf } from '../chain/chainStatus.ts'
import { configuredSetups, limitMarketMemory } from '../chain/configuredChains.ts'
import { createChainRewinds } from '../chain/rewindStore.ts'
import { riskLimitsOf } from '../chain/servedChain.ts'
import type { WarmMarkets } from '../chain/warmMarket.ts'
import { localChainKinds } from '../demo/devnetSetup.ts'
import { type ChainIdentity, createLocalChain, type LocalChain } from '../demo/localChain.ts'
import { type BackfillScheduler, createBackfillScheduler } from '../history/backfillScheduler.ts'
import { createChainAudits } from '../history/chainAudits.ts'
import { type ChainReplacementOptions, createChainReplacement } from '../history/historyBackfill.ts'
import { createUnservedOpener } from '../history/unservedRuntime.ts'
import type { Database } from '../openDatabase.ts'
import { createNativePriceRelay } from '../pipeline/engineSeed.ts'
import type { OnStartStep } from '../startStep.ts'
import {
  areAllReady,
  damagedChainPlaceholder,
  examplePairIdOf,
  notReadyChains,
  placeholderChains,
} from './gatewayChains.ts'

export type ChainsOptions = {
  config: Config
  store: Store
  database: Database
  /** Markets that a standby indexer already has in memory. @default none */
  warmMarkets?: WarmMarkets | undefined
  logger: Logger
  metrics: Metrics
  /**
   * Filled with all chains at the start. An entry is replaced whenever its chain is opened or
   * reopened.
   */
  gatewayChains: Map<string, GatewayChain>
  /** Whether samples of stored blocks are compared with the nodes. @default false */
  isAudited?: boolean | undefined
  /** Limits on recent blocks in memory, where they differ from the defaults. */
  recentLimits?: Partial<RecentLimits> | undefined
  onFatal(error: AppError): void
  /** Receives the startup steps of local chains. */
  onStep?: OnStartStep | undefined
  /**
   * Called when final blocks of a chain were replaced, which makes it a different chain. @default
   * onFatal
   */
  onReplaced?: ((name: string) => void) | undefined
  /**
   * Called once a chain is in `gatewayChains`, before it is indexed. A chain that replaces a served
   * market is added with its first block.
   */
  onOpened?(chain: string): void
  /** Called instead of `onOpened` when the chain was reopened after a reorg deeper than memory. */
  onRewound?(chain: string): void
  /**
   * Called instead of `onOpened` when a longer or corrected backfill replaced the stored chain.
   * Both end with the same block.
   */
  onAdopted?(chain: string): void
  /**
   * Notified of each applied entry of every chain, once the chain is in `gatewayChains`. @default
   * none
   */
  consumers?: readonly EntryConsumer[] | undefined
}

/** The gateway half of the process, as seen by the indexing half. */
export type MarketConsumer = Pick<
  ChainsOptions,
  'gatewayChains' | 'consumers' | 'onOpened' | 'onRewound' | 'onAdopted'
>

export type Chains = {
  /** Resolves when every chain is open and being indexed. */
  start(): Promise<void>
  stop(): Promise<void>
  list(): readonly ChainRuntime[]
  /** Runtimes of running backfills, next to the chains themselves. */
  readers(): readonly ChainRuntime[]
  /** Returns true once at least one chain has its first block. */
  isServing(): boolean
  /** Chains that are not ready, each with the reason, as `name: reason`. */
  waiting(): readonly string[]
  /** Returns true when every chain is ready and the local chains have mined their history. */
  isComplete(): boolean
  /** Returns true while a local chain still mines its history. */
  isMining(): boolean
  /** JSON-RPC URLs of running local chains, by name. */
  devnetRpcUrls(): ReadonlyMap<string, string>
  examplePairId(): string | null
}

/** Manages all chains of the service: the configured chains, or the local chains of a demo. */
export function createChains(options: ChainsOptions): Chains {
  const { config } = options
  const locals = new Map<string, LocalChain>()
  const kinds = localChainKinds(config)
  const onReplaced = kinds.length === 0 ? undefined : (name: string) => locals.get(name)?.reindex()
  const { runtimes, open, start, close, stop, readers } = createOpenChains({
    ...options,
    onReplaced,
  })
  for (const local of kinds)
    locals.set(
      local.name,
      createLocalChain({
        ...options,
        local,
        open: (setup) => open(limitMarketMemory(setup, config)),
        close,
      }),
    )
  for (const chain of placeholderChains(config, options.logger))
    options.gatewayChains.set(chain.profile.name, chain)
  const everyLocal = (act: (local: LocalChain) => Promise<void>) =>
    Promise.all([...locals.values()].map(act))
  const isMining = () => [...locals.values()].some((local) => !local.isHistoryMined())

  async function serveAll(): Promise<void> {
    const setups = configuredSetups(config)
    const opened = new Map(setups.map((setup) => [setup.profile.name, open(setup)]))
    const serve = async (setup: ChainSetup) => {
      const { name } = setup.profile
      const runtime = await opened.get(name)!
      await opened.get(config.chains[name]?.native_usd_from ?? name)
      await start(runtime, setup)
    }
    await Promise.all(setups.map(serve))
  }

  return {
    async start() {
      await everyLocal((local) => local.start())
      await serveAll()
    },
    async stop() {
      await everyLocal((local) => local.stop())
      await stop()
      await everyLocal((local) => local.endProcess())
    },
    list: () => [...runtimes.values()],
    readers,
    isServing: () => [...runtimes.values()].some(({ engine }) => engine.head() !== null),
    waiting: () => notReadyChains(options.gatewayChains),
    isComplete: () => areAllReady(options.gatewayChains) && !isMining(),
    isMining,
    devnetRpcUrls: () =>
      new Map(
        [...locals].flatMap(([name, local]) => (local.rpcUrl() ? [[name, local.rpcUrl()!]] : [])),
      ),
    examplePairId: () => examplePairIdOf(options.gatewayChains),
  }
}

/** The open chains by name. */
type OpenChains = {
  runtimes: ReadonlyMap<string, ChainRuntime>
  /** Loads the stored chain and serves it in place of the previous chain of that name. */
  open(chain: ChainIdentity): Promise<ChainRuntime>
  /** Starts indexing the chain, its backfill and its audits. */
  start(runtime: ChainRuntime, setup: ChainSetup): Promise<void>
  /**
   * Stops indexing and storing. The market is still served, unchanged, until another replaces it.
   */
  close(name: string): Promise<void>
  /** Closes all chains; none is opened after this. */
  stop(): Promise<void>
  /** Runtimes of running backfills. */
  readers(): readonly ChainRuntime[]
}

function createOpenChains(options: ChainsOptions): OpenChains {
  const { config, gatewayChains } = options
  const runtimes = new Map<string, ChainRuntime>()
  const shared = runtimeOptionsOf(options)
  const nativePrices = createNativePriceRelay(config, runtimes)
  const rewinds = createChainRewinds({
    ...shared,
    start,
    close,
    open: (setup) => open(setup, options.onRewound),
  })
  const beside = openBackgroundWork(options, shared, {
    runtimes,
    start,
    close,
    open: (setup) => open(setup, options.onAdopted),
  })

  async function open(chain: ChainIdentity, onOpened = options.onOpened): Promise<ChainRuntime> {
    const { name } = chain.profile
    const running = runtimes.get(name)
    if (running?.storeName === chain.storeName) return running
    await close(name)
    const runtime: ChainRuntime = await openChainRuntime({
      ...shared,
      ...chain,
      recentOptions: {
        limits: options.recentLimits,
        afterSeq: gatewayChains.get(name)?.recent.seq,
      },
      headLimits: headLimitsOf(config, name),
      backgroundStatus: () => beside.statusOf(name),
      consumers: [
        { name: 'gateway', onApplied: () => gatewayChains.set(name, runtime.gatewayChain) },
        ...(options.consumers ?? []),
        nativePrices,
      ],
      onStopped(error, code) {
        if (code === 'IMAGE_DAMAGED')
          gatewayChains.set(
            name,
            damagedChainPlaceholder({ ...shared, ...chain, ...shared.writerLimits }),
          )
        if (code === 'REORG_TOO_DEEP' && options.onReplaced !== undefined) options.onReplaced(name)
        else options.onFatal(error)
      },
      onRewind: (ancestor, setup) => rewinds.begin(runtime.chainId, ancestor, setup),
    })
    runtimes.set(name, runtime)
    // Keep serving the predecessor until the new market has its first block.
    const isFollowed = (gatewayChains.get(name)?.reads.head() ?? null) !== null
    if (runtime.engine.head() === null && isFollowed) return runtime
    gatewayChains.set(name, runtime.gatewayChain)
    onOpened?.(name)
    return runtime
  }

  async function start(runtime: ChainRuntime, setup: ChainSetup): Promise<void> {
    const source = config.chains[setup.profile.name]?.native_usd_from
    // The stored market of the source chain may already have a price.
    if (source !== undefined) nativePrices.passPriceOf(source)
    await runtime.start(setup)
  }

  async function begin(runtime: ChainRuntime, setup: ChainSetup): Promise<void> {
    await start(runtime, setup)
    beside.begin(setup)
  }

  async function close(name: string): Promise<void> {
    const runtime = runtimes.get(name)
    runtimes.delete(name)
    await runtime?.stop()
  }

  return {
    runtimes,
    async open(chain) {
      await rewinds.ended(chain.profile.name)
      return await open(chain)
    },
    start: begin,
    readers: beside.readers,
    async close(name) {
      await rewinds.ended(name)
      await close(name)
    },
    async stop() {
      await beside.stop()
      await rewinds.stop()
      await Promise.all([...runtimes.keys()].map(close))
    },
  }
}

/** Runs backfills and audits of the configured chains next to their indexing. */
function openBackgroundWork(
  options: ChainsOptions,
  shared: ReturnType<typeof runtimeOptionsOf>,
  parts: HistoryParts,
) {
  const { config, isAudited } = options
  const live = (name: string) => parts.runtimes.get(name)
  const histories = openHistories(options, shared, parts)
  const audits = isAudited ? createChainAudits({ ...shared, config, live }) : null
  return {
    begin(setup: ChainSetup): void {
      if (config.chains[setup.profile.name] === undefined) return
      histories.begin(setup)
      audits?.begin(setup)
    },
    statusOf: (name: string) => ({
      past: histories.statusOf(name),
      audit: audits?.statusOf(name) ?? null,
    }),
    readers: histories.runtimes,
    async stop(): Promise<void> {
      await audits?.stop()
      await histories.stop()
    },
  }
}

type HistoryParts = Pick<ChainReplacementOptions, 'open' | 'start' | 'close'> &
  Pick<OpenChains, 'runtimes'>

function openHistories(
  { config }: ChainsOptions,
  shared: ReturnType<typeof runtimeOptionsOf>,
  { runtimes, ...parts }: HistoryParts,
): BackfillScheduler {
  const live = (name: string) => runtimes.get(name)
  return createBackfillScheduler({
    ...shared,
    config,
    live,
    openRuntime: createUnservedOpener(shared),
    replaceChain: createChainReplacement({ ...shared, ...parts, live }),
    nativeUsdOf(name) {
      const source = config.chains[name]?.native_usd_from
      return source === undefined ? null : (live(source)?.seedSource.nativeUsd() ?? null)
    },
  })
}

function runtimeOptionsOf(options: ChainsOptions) {
  const { config, store, database, warmMarkets, logger, metrics, onFatal } = options
  const { retention, limits } = config
  return {
    store,
    warmMarkets,
    logger,
    metrics,
    onFatal,
    connection: database.connection,
    retention: {
      log: retention.log_days,
      swaps: retention.swaps_days,
      liquidity: retention.liquidity_days,
      klines_s1: retention.klines_s1_days,
      klines_k1: retention.klines_k1_days,
    },
    writerLimits: {
      queueBlocksMax: limits.queue_blocks_max,
      queueBytesMax: defaultWriterLimits.queueBytesMax,
      batchBlocksMax: Math.min(defaultWriterLimits.batchBlocksMax, limits.queue_blocks_max),
    },
    riskLimits: riskLimitsOf(config),
    readyLimits: readinessLimitsOf(config),
    readyOnce: new Set<string>(),
  }
}
