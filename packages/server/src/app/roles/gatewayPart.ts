import type { Config } from '../../config/schema/schema.ts'
import type { Clock, GatewayChain } from '../../gateway/chain/gatewayChain.ts'
import { createFeed } from '../../gateway/feed/createFeed.ts'
import { createReplayStore } from '../../gateway/feed/replay/replayStore.ts'
import { createGateway } from '../../gateway/gateway.ts'
import { createScheduler, type Scheduler } from '../../gateway/ground/scheduler.ts'
import { createBrowserKeys, withBrowserKeys } from '../../gateway/keys/browserKeys.ts'
import {
  createKeyAccess,
  fixedKeyLimits,
  type RunningKeyAccess,
} from '../../gateway/keys/createKeyAccess.ts'
import { createKeyAdmin } from '../../gateway/keys/keyAdmin.ts'
import { createScreenerBoards, type ScreenerBoards } from '../../gateway/lists/screenerBoards.ts'
import { isCompatibilityMode } from '../../gateway/rest/envelope.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import type { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import { isLoopback } from '../../lib/loopback.ts'
import type { HistoryReads } from '../../store/replicaReads.ts'
import { readinessLimitsOf } from '../chain/chainStatus.ts'
import { configuredSetups } from '../chain/configuredChains.ts'
import { riskLimitsOf } from '../chain/servedChain.ts'
import type { MarketConsumer } from './chains.ts'
import { type FollowedChain, followChain } from './followChain.ts'
import { placeholderChains } from './gatewayChains.ts'
import { gatewayOptionsOf } from './gatewayOptions.ts'
import { keyPlansOf } from './keys.ts'
import { createMcpLoader } from './mcp.ts'
import { startRiskReportSharing } from './riskReportSharing.ts'
import type { RoleOptions } from './startedRole.ts'

// Interval of sharing risk reports: soon enough for lists, and few writes compared with those for
// blocks.
const riskBookEveryMs = 2_000

/** The gateway half of the program. */
type GatewayPart = {
  /** Receives entries from an indexing half in the same process, without waiting for the log. */
  marketConsumer: MarketConsumer
  /**
   * Token lists of all chains, and the scheduler that shares the event loop among requests for
   * lists.
   */
  lists: { screener: ScreenerBoards; scheduler: Scheduler }
  /**
   * Opens the port; returns the base URL, and whether other machines can connect while nothing adds
   * TLS.
   */
  listen(): Promise<{ address: string; isExposed: boolean }>
  /**
   * Follows the logs that another process writes, so every push is backed by the log. Resolves when
   * the stored market of every configured chain is served. `consumer`: name under which the log
   * keeps unread entries for this gateway.
   */
  follow(consumer: string, reads: HistoryReads): Promise<readonly FollowedChain[]>
  /**
   * Reports the service as not ready and closes streams, so that clients move to other gateways.
   * For a gateway that can read no further.
   */
  drain(error: AppError): void
}

/** `isSeeded` returns true once the keys of this start are stored. */
export function createGatewayPart(options: RoleOptions, isSeeded: () => boolean): GatewayPart {
  const { config, terminalToken, store, metrics, logger, version, parts, onFatal } = options
  const gatewayChains = new Map<string, GatewayChain>(
    placeholderChains(config, logger).map((chain) => [chain.profile.name, chain]),
  )
  const clock = { nowMs: Date.now }
  const history = createReplayStore(store)
  const lists = { scheduler: createScheduler(), screener: createScreenerBoards(clock) }
  const shared = { clock, logger, ...lists }
  const ofConfig = gatewayOptionsOf(config)
  const feed = createFeed({
    ...shared,
    chains: gatewayChains,
    history,
    isCompatible: isCompatibilityMode(ofConfig.responseEnvelope),
  })
  const plans = keyPlansOf(config)
  const storedKeys = openKeyAccess(options, clock, isSeeded)
  // Close key checks before the store.
  parts.add('keys', storedKeys.close)
  const browserKeys =
    terminalToken === null
      ? undefined
      : createBrowserKeys({ token: terminalToken, plans, clock, metrics })
  const keys = browserKeys === undefined ? storedKeys : withBrowserKeys(storedKeys, browserKeys)
  const gateway = createGateway({
    ...ofConfig,
    ...shared,
    isWriterOnly: config.role === 'indexer',
    version,
    dataDirId: options.dataDirId,
    chains: gatewayChains,
    keys,
    browserKeys,
    store,
    feed,
    metrics,
    mcp: createMcpLoader(version),
    admin: { adminKey: config.admin_key, keys: createKeyAdmin({ store, plans, clock }), plans },
  })
  let isDraining = false
  const marketConsumer: MarketConsumer = {
    gatewayChains,
    consumers: [feed],
    onOpened: feed.openChain,
    onRewound: feed.chainReloaded,
    onAdopted: feed.marketReplaced,
  }

  function drain(error: AppError): void {
    if (isDraining) return
    isDraining = true
    logger.error({ msg: 'Draining: this gateway cannot read newer log entries', err: error })
    void gateway.drain('Server is being replaced').then(() => {
      logger.info({ msg: 'Drained: all clients have left; upgrade this gateway' })
    })
  }

  return {
    marketConsumer,
    lists,
    drain,
    async listen() {
      const address = await gateway.listen()
      parts.add('gateway', gateway.close)
      const chains = () => [...gatewayChains.values()]
      const book = startRiskReportSharing({ store, chains, logger, everyMs: riskBookEveryMs })
      parts.add('risk reports', book.stop)
      logger.info({ msg: 'Listening', address })
      return { address, isExposed: warnIfExposed(config.server, address, logger) }
    },
    async follow(consumer, reads) {
      const limits = {
        riskLimits: riskLimitsOf(config),
        readyLimits: readinessLimitsOf(config),
        queueBlocksMax: config.limits.queue_blocks_max,
      }
      const log = { consumer, reads }
      const ofAll = {
        ...limits,
        ...log,
        store,
        metrics,
        logger,
        marketConsumer,
        onFatal,
        onTooNew: drain,
      }
      const follow = async (setup: ChainSetup) => {
        const followed = await followChain({ ...ofAll, setup, signal: parts.signal })
        parts.add(`log of ${setup.profile.name}`, followed.stop)
        return followed
      }
      return await Promise.all(configuredSetups(config).map(follow))
    },
  }
}

function openKeyAccess(
  { config, store, logger, metrics }: RoleOptions,
  clock: Clock,
  isSeeded: () => boolean,
): RunningKeyAccess {
  return createKeyAccess({
    store,
    clock,
    logger,
    metrics,
    isSeeded,
    plans: keyPlansOf(config),
    // Several gateways serve the same keys, so usage is shared. An indexer serves no keys.
    isShared: config.role === 'gateway',
    limits: { ...fixedKeyLimits, lookupMsMax: config.fixed.key_lookup_ms_max },
  })
}

/**
 * Warns if keys may cross a network unencrypted: the service speaks plain HTTP beyond loopback, and
 * `trusted_proxies` names no proxy that could add TLS.
 */
export function warnIfExposed(
  { host, trusted_proxies: proxies }: Pick<Config['server'], 'host' | 'trusted_proxies'>,
  address: string,
  logger: Pick<Logger, 'warn'>,
): boolean {
  if (proxies.length > 0 || isLoopback(host)) return false
  logger.warn({ msg: 'Listening on a public address without TLS', address })
  return true
}
