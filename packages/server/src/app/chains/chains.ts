import { type GatewayChain, notReadyReason } from '../../gateway/gatewayChain.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import type { ChainRuntime } from '../chain/chainRuntime.ts'
import { riskLimitsOf } from '../chain/nodeReads.ts'
import { devnetKind, devnetStartBlock } from '../devnet/devnetSetup.ts'
import { createLocalChain, type LocalChain } from '../devnet/localChain.ts'
import { setupsOf } from './configuredChains.ts'
import { createOpenChains, type OpenChainsOptions } from './openChains.ts'
import { unknownLocalProfile, unopenedChain } from './unopenedChain.ts'

export type Chains = {
  /** Resolves when every chain is open and being read. */
  start(): Promise<void>
  stop(): Promise<void>
  list(): readonly ChainRuntime[]
  /** Those that read the past of a chain, beside it. */
  readers(): readonly ChainRuntime[]
  /** At least one chain has a first block. */
  isServing(): boolean
  /** Those that are not ready, and how far they are. */
  waiting(): readonly string[]
  /** Every chain is ready; the local one has its history as well. */
  isComplete(): boolean
  /** The local chain still mines its history. */
  isMining(): boolean
  devnetRpcUrl(): string | null
  examplePairId(): string | null
}

/** All chains of the service: the configured ones, or the local one. */
export function createChains(options: OpenChainsOptions): Chains {
  const { config } = options
  const isLocal = Object.keys(config.chains).length === 0
  const onReplaced = isLocal ? () => local?.renew() : undefined
  const { runtimes, open, start, close, stop, readers } = createOpenChains({
    ...options,
    onReplaced,
  })
  const local: LocalChain | null = isLocal ? createLocalChain({ ...options, open, close }) : null
  for (const chain of unopenedChains(options)) options.gatewayChains.set(chain.profile.name, chain)

  async function serveAll(): Promise<void> {
    const setups = setupsOf(config)
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
      if (local !== null) return await local.start()
      await serveAll()
    },
    async stop() {
      await local?.stop()
      await stop()
      await local?.end()
    },
    list: () => [...runtimes.values()],
    readers,
    isServing: () => [...runtimes.values()].some(({ engine }) => engine.head() !== null),
    waiting: () =>
      [...options.gatewayChains].flatMap(([name, chain]) => {
        const reason = notReadyReason(chain) ?? chain.status().behind
        return reason === null ? [] : `${name}: ${reason}`
      }),
    isComplete: () =>
      [...options.gatewayChains.values()].every((chain) => chain.status().behind === null) &&
      (local === null || local.isHistoryMined()),
    isMining: () => local !== null && !local.isHistoryMined(),
    devnetRpcUrl: () => local?.rpcUrl() ?? null,
    examplePairId: () => examplePairIdOf(runtimes),
  }
}

/** As callers see the chains until they are open. */
function unopenedChains({ config, logger }: OpenChainsOptions): GatewayChain[] {
  const { queue_blocks_max: queueBlocksMax } = config.limits
  const shared = { queueBlocksMax, riskLimits: riskLimitsOf(config), logger }
  const configured = setupsOf(config).map((setup) =>
    unopenedChain({
      ...shared,
      kind: setup.kind,
      profile: setup.profile,
      startBlock: setup.startBlock,
      opening: 'what is stored of it is being loaded',
    }),
  )
  if (configured.length > 0) return configured
  return [
    unopenedChain({
      ...shared,
      kind: devnetKind.name,
      profile: unknownLocalProfile,
      startBlock: devnetStartBlock,
      opening: 'the local chain is being started',
    }),
  ]
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
