import type { Config } from '../../config/schema/schema.ts'
import type { GatewayChain } from '../../gateway/chain/gatewayChain.ts'
import type { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import { logWhileWaiting } from '../../lib/logWhileWaiting.ts'
import type { Metrics } from '../../lib/metrics.ts'
import type { Shutdown } from '../../lib/shutdown.ts'
import { type ChainClaim, claimChains } from '../../store/chainLease.ts'
import { describeConnection, type StoreConnection } from '../../store/connection.ts'
import type { Store } from '../../store/openStore.ts'
import { prepareSchema } from '../../store/schema.ts'
import { pagesDirectoryOf } from '../chain/configuredChains.ts'
import type { WarmMarkets } from '../chain/warmMarket.ts'
import { localChainKinds } from '../demo/devnetSetup.ts'
import type { Database } from '../openDatabase.ts'
import { removeUnusedImages } from '../snapshots/marketImages.ts'
import { startSnapshots } from '../snapshots/startSnapshots.ts'
import type { OnStartStep } from '../startStep.ts'
import { type Chains, createChains } from './chains.ts'
import { claimedChainsOf } from './claimedChains.ts'
import type { OpenChainsOptions } from './openChains.ts'

export type IndexerPartOptions = {
  config: Config
  store: Store
  database: Database
  /** Markets that a standby indexer already has in memory. @default none */
  warmMarkets?: WarmMarkets | undefined
  metrics: Metrics
  logger: Logger
  /** Started parts register here and are stopped in reverse order. */
  parts: Shutdown
  onFatal(error: AppError): void
  onStep?: OnStartStep | undefined
  /**
   * The gateway in the same process, which gets entries directly and need not wait for the log.
   * @default none
   */
  marketConsumer?: MarketConsumer | undefined
  /** Configured chains that this start does not run. @default none */
  leftOut?: readonly string[] | undefined
}

/** The gateway half of the process, as seen by the indexing half. */
export type MarketConsumer = Pick<
  OpenChainsOptions,
  'consumers' | 'onOpened' | 'onRewound' | 'onAdopted'
> & {
  gatewayChains: Map<string, GatewayChain>
}

/** The indexing half of the program: reads chains, and writes the log and the store. */
type IndexerPart = {
  chains: Chains
  /**
   * Starts all chains; resolves when each is being indexed. `whileClaimed` runs while no other
   * process can write these chains.
   */
  start(whileClaimed?: (claims: readonly string[]) => Promise<void>): Promise<void>
}

export function createIndexerPart(options: IndexerPartOptions): IndexerPart {
  const { config, store, database, metrics, logger, parts, onFatal } = options
  const { connection } = database
  const outlet = options.marketConsumer ?? { gatewayChains: new Map<string, GatewayChain>() }
  const chains = createChains({
    config,
    store,
    database,
    warmMarkets: options.warmMarkets,
    logger,
    metrics,
    onFatal,
    onStep: options.onStep,
    isAudited: true,
    ...outlet,
    // Without a gateway, no client resumes a stream, so recent blocks are not needed.
    recentLimits: options.marketConsumer === undefined ? { recentBlocksMax: 0 } : undefined,
  })
  return {
    chains,
    async start(whileClaimed) {
      options.onStep?.({ title: 'Preparing the database' })
      const claim = await takeDatabase(config, connection, { logger, parts })
      await removeUnconfigured(options)
      parts.add('chains', chains.stop)
      await chains.start()
      await whileClaimed?.(claim.claims)
      await claim.release()
      const snapshots = startSnapshots({ config, chains, connection, metrics, logger })
      parts.add('snapshots', snapshots.stop)
    },
  }
}

async function removeUnconfigured(options: IndexerPartOptions): Promise<void> {
  const { config, store, database, leftOut = [], logger } = options
  // Other services that share the directory may have chains of their own.
  if (!database.isDirectoryOurs()) return
  const locals = localChainKinds(config).map(({ name }) => name)
  const names = new Set([...Object.keys(config.chains), ...locals, ...leftOut])
  const known = { names, chainIds: await store.readChainIds() }
  await removeUnusedImages(pagesDirectoryOf(config), known, logger)
}

/**
 * Claims the chains and migrates the schema. Logs a notice while the database hangs or another
 * process holds a chain.
 */
async function takeDatabase(
  config: Config,
  connection: StoreConnection,
  { logger, parts }: { logger: Logger; parts: Shutdown },
): Promise<ChainClaim> {
  let waitsFor = `the database at ${describeConnection(connection)}`
  const notice = { logger, waitsFor: () => waitsFor }
  const claiming = claimChains(connection, await claimedChainsOf(config), (chain) => {
    waitsFor = `another process to release the chain "${chain}"`
  })
  const claim = await logWhileWaiting(claiming, notice)
  parts.add('claim', claim.release)
  waitsFor = 'the schema of the database'
  await logWhileWaiting(prepareSchema(connection, logger), notice)
  return claim
}
