import type { Config } from '../../config/schema/schema.ts'
import { type GatewayChain, notReadyReason } from '../../gateway/chain/gatewayChain.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import type { Logger } from '../../lib/logger.ts'
import type { ChainRuntime } from '../chain/chainRuntime.ts'
import { configuredSetups, limitMarketMemory } from '../chain/configuredChains.ts'
import { riskLimitsOf } from '../chain/servedChain.ts'
import { localChainKinds } from '../demo/devnetSetup.ts'
import { createLocalChain, type LocalChain } from '../demo/localChain.ts'
import { createOpenChains, type OpenChainsOptions } from './openChains.ts'
import { placeholderProfileOf, unopenedChainPlaceholder } from './unopenedChain.ts'

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
export function createChains(options: OpenChainsOptions): Chains {
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

/** Placeholders that the gateway serves until each chain is open. */
export function placeholderChains(config: Config, logger: Logger): GatewayChain[] {
  const { queue_blocks_max: queueBlocksMax } = config.limits
  const shared = { queueBlocksMax, riskLimits: riskLimitsOf(config), logger }
  const configured = configuredSetups(config).map((setup) =>
    unopenedChainPlaceholder({
      ...shared,
      kind: setup.kind,
      profile: setup.profile,
      startBlock: setup.startBlock,
      opening: 'what is stored of it is being loaded',
    }),
  )
  if (configured.length > 0) return configured
  return localChainKinds(config).map(({ name, kind, startBlock }) =>
    unopenedChainPlaceholder({
      ...shared,
      kind,
      startBlock,
      profile: placeholderProfileOf(name),
      opening: 'the local chain is being started',
    }),
  )
}

/** Returns the chains that are not ready, each with the reason, as `name: reason`. */
export function notReadyChains(chains: ReadonlyMap<string, GatewayChain>): string[] {
  return [...chains].flatMap(([name, chain]) => {
    const reason = notReadyReason(chain) ?? chain.status().lagReason
    return reason === null ? [] : `${name}: ${reason}`
  })
}

/** Returns true when every chain is ready. */
export function areAllReady(chains: ReadonlyMap<string, GatewayChain>): boolean {
  return [...chains.values()].every((chain) => chain.status().lagReason === null)
}

/**
 * Returns the main pair of the first chain's native token, which has a price from the first minute.
 */
export function examplePairIdOf(chains: ReadonlyMap<string, GatewayChain>): string | null {
  for (const [name, { reads, profile }] of chains) {
    const wrapped = reads.findToken(profile.native.wrappedToken)
    const mainPairId = wrapped === undefined ? null : reads.tokenState(wrapped).mainPairId
    if (mainPairId !== null) return `${reads.pairState(mainPairId).record.address}-${name}`
  }
  return null
}
