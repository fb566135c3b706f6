import type { ChainRuntime } from './chainRuntime.ts'
import { type ChainSetup, setupOfChain } from './chainSetup.ts'
import { createLocalChain, type LocalChain } from './localChain.ts'
import { createOpenChains, type OpenChainsOptions } from './openChains.ts'

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
export function createChains(options: OpenChainsOptions): Chains {
  const { config } = options
  const isLocal = Object.keys(config.chains).length === 0
  const onReplaced = isLocal ? () => local?.renew() : undefined
  const { runtimes, open, start, close, stop } = createOpenChains({ ...options, onReplaced })
  const local: LocalChain | null = isLocal ? createLocalChain({ ...options, open, close }) : null

  async function serveAll(): Promise<void> {
    const setups = Object.entries(config.chains).map(([name, chain]) =>
      setupOfChain(name, chain, config),
    )
    const opened = new Map(setups.map((setup) => [setup.profile.name, open(setup)]))
    const serve = async (setup: ChainSetup) => {
      const { name } = setup.profile
      const runtime = await opened.get(name)!
      await opened.get(config.chains[name]?.native_usd_from ?? name)
      await start(runtime, setup)
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
      await stop()
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

/** The main pair of the first chain's native token: it has a price from the first minute on. */
function examplePairIdOf(runtimes: ReadonlyMap<string, ChainRuntime>): string | null {
  for (const [name, { engine, gatewayChain }] of runtimes) {
    const wrapped = engine.findToken(gatewayChain.profile.native.wrappedToken)
    const mainPairId = wrapped === undefined ? null : engine.tokenState(wrapped).mainPairId
    if (mainPairId !== null) return `${engine.pairState(mainPairId).record.address}-${name}`
  }
  return null
}
