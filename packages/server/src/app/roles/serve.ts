import type { Config } from '../../config/schema.ts'
import { createFeed } from '../../gateway/feed/createFeed.ts'
import { createStoreHistory } from '../../gateway/feed/replay/storeHistory.ts'
import { createGateway } from '../../gateway/gateway.ts'
import type { GatewayChain } from '../../gateway/gatewayChain.ts'
import { createBrowserKeys, withBrowserKeys } from '../../gateway/keys/browserKeys.ts'
import { createKeyAdmin } from '../../gateway/keys/keyAdmin.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import type { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Metrics } from '../../lib/metrics.ts'
import type { Shutdown } from '../../lib/shutdown.ts'
import type { Store } from '../../store/openStore.ts'
import { readyLimitsOf } from '../chain/chainLag.ts'
import { riskLimitsOf } from '../chain/nodeReads.ts'
import { setupsOf } from '../chains/configuredChains.ts'
import { areBrowserKeysGiven, gatewayOptionsOf } from '../gatewayOptions.ts'
import { keyPlansOf, openKeyAccess } from '../keys.ts'
import { followChain } from './followedChain.ts'
import type { MarketOutlet } from './ingest.ts'

export type ServeOptions = {
  config: Config
  store: Store
  metrics: Metrics
  logger: Logger
  version: string
  /** What was started is added, to be stopped in reverse. */
  parts: Shutdown
  /** Keys of this start are in the store. */
  isSeeded(): boolean
  onFatal(error: AppError): void
}

/** The half of the program that serves markets. */
type Serve = {
  /** Fed in the same process, by the half that writes: what it pushes has not waited for the log. */
  outlet: MarketOutlet
  /** Opens the port; returns its address. */
  listen(): Promise<string>
  /**
   * Fed by the log alone, which another process writes: what it pushes is acknowledged by the log. Resolves when what is stored of
   * every configured chain is served; `consumer` is the name under which the log keeps what is still to be read.
   */
  follow(consumer: string): Promise<void>
}

export function createServe(options: ServeOptions): Serve {
  const { config, store, metrics, logger, version, parts, isSeeded, onFatal } = options
  const gatewayChains = new Map<string, GatewayChain>()
  const clock = { nowMs: Date.now }
  const history = createStoreHistory(store)
  const feed = createFeed({ chains: gatewayChains, history, clock, logger })
  const plans = keyPlansOf(config)
  const storedKeys = openKeyAccess(config, { store, clock, logger, metrics, isSeeded })
  parts.add('keys', storedKeys.close)
  const browserKeys = createBrowserKeys({ plans, clock, metrics })
  const keys = withBrowserKeys(storedKeys, browserKeys)
  const gateway = createGateway({
    ...gatewayOptionsOf(config),
    version,
    chains: gatewayChains,
    keys,
    browserKeys: areBrowserKeysGiven(config) ? browserKeys : undefined,
    store,
    feed,
    metrics,
    logger,
    clock,
    // Most services never need it, and it is large.
    mcp: async ({ request, ...call }) =>
      await (await import('../../mcp/serveMcp.ts')).answerMcp({ ...call, version }, request),
    admin: { adminKey: config.admin_key, keys: createKeyAdmin({ store, plans, clock }), plans },
  })
  const outlet: MarketOutlet = {
    gatewayChains,
    consumers: [feed],
    onOpened: feed.open,
    onRewound: feed.rewound,
    onAdopted: feed.adopted,
  }

  return {
    outlet,
    async listen() {
      const address = await gateway.listen()
      parts.add('gateway', gateway.close)
      logger.info({ msg: 'Listening', address })
      return address
    },
    async follow(consumer) {
      const limits = {
        riskLimits: riskLimitsOf(config),
        readyLimits: readyLimitsOf(config),
        queueBlocksMax: config.limits.queue_blocks_max,
      }
      const shared = { ...limits, store, metrics, logger, outlet, consumer, onFatal }
      const follow = async (setup: ChainSetup) => {
        const followed = await followChain({ ...shared, setup, signal: parts.signal })
        parts.add(`log of ${setup.profile.name}`, followed.stop)
      }
      await Promise.all(setupsOf(config).map(follow))
    },
  }
}
