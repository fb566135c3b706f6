import { quoteIdsOf } from '../../gateway/rest/wallets/readPositions.ts'
import { logWhileWaiting } from '../../lib/logWhileWaiting.ts'
import { type ChainClaim, claimChains, takeChainLease } from '../../store/chainLease.ts'
import { describeConnection } from '../../store/connection.ts'
import { prepareSchema } from '../../store/schema.ts'
import { pagesDirectoryOf } from '../chain/configuredChains.ts'
import { startWarmStandby } from '../chain/warmMarket.ts'
import { localChainKinds, localEvmKind, localSolanaKind } from '../demo/devnetSetup.ts'
import { removeUnusedImages } from '../snapshots/marketImages.ts'
import { startSnapshots } from '../snapshots/startSnapshots.ts'
import { type Chains, createChains } from './chains.ts'
import { claimChainsByName, claimedChainsOf } from './claimedChains.ts'
import { createGatewayPart } from './gatewayPart.ts'
import { type SeededKeys, seedKeys, seedOptionsOf } from './keys.ts'
import type { RoleOptions, StartedRole } from './startedRole.ts'
import { riskWatchLimitsOf, startRiskWatch } from './startRiskWatch.ts'
import { smartWalletsLimitsOf, startSmartWallets } from './startSmartWallets.ts'

/**
 * Starts indexing and serving in one process. An indexer serves only health and metrics. Each part
 * is started here, in this order.
 */
export async function startIndexing(options: RoleOptions): Promise<StartedRole> {
  const { config, store, database, metrics, logger, parts, onStep } = options
  let seeded: SeededKeys | null = null
  const serve = createGatewayPart(options, () => seeded !== null)
  const { gatewayChains } = serve.marketConsumer
  const chains = createChains({ ...options, ...serve.marketConsumer, isAudited: true })
  // Change nothing before the port is open and no other process writes the chains, so that a failed
  // start leaves no trace.
  const { address, isExposed } = await serve.listen()
  if (config.role === 'indexer') await takeLease(options)
  onStep({ title: 'Preparing the database' })
  const claim = await takeDatabase(options)
  await removeUnconfigured(options)
  parts.add('chains', chains.stop)
  await chains.start()
  seeded = await seedKeys(store, seedOptionsOf(config, claim.claims))
  await claim.release()
  const { connection } = database
  const snapshots = startSnapshots({ config, chains, connection, metrics, logger })
  parts.add('snapshots', snapshots.stop)

  function ready() {
    const wallets = startSmartWallets({
      store,
      logger,
      chains: () => rankedChains(chains),
      clock: { nowMs: Date.now },
      limits: smartWalletsLimitsOf(config),
    })
    parts.add('wallets', wallets.stop)
    const riskWatch = startRiskWatch({
      store,
      logger,
      chains: () => [...gatewayChains.values()],
      clock: { nowMs: Date.now },
      ...serve.lists,
      limits: riskWatchLimitsOf(config),
    })
    parts.add('risk watch', riskWatch.stop)
    const rpcUrls = chains.devnetRpcUrls()
    return {
      ...seeded!,
      isExposed,
      devnetRpcUrl: rpcUrls.get(localEvmKind.name) ?? null,
      localsolRpcUrl: rpcUrls.get(localSolanaKind.name) ?? null,
      examplePairId: chains.examplePairId(),
      chains: [...gatewayChains.keys()],
    }
  }

  return { address, chains, ready }
}

/** Resolves when this indexer holds the lease of its chains. */
async function takeLease(options: RoleOptions): Promise<void> {
  const { config, database, logger, parts, signal, onFatal, onStep } = options
  const chains = claimChainsByName(Object.keys(config.chains))
  const { connection } = database
  const standbys: { stop(): Promise<void> }[] = []
  const lease = await takeChainLease({
    connection,
    chains,
    logger,
    signal,
    onLost: onFatal,
    leaseMs: config.fixed.lease_ms,
    onStandBy() {
      logger.info({
        msg: 'Standing by: another indexer holds the lease',
        chains: Object.keys(config.chains),
      })
      onStep({ title: 'Standing by', note: 'another indexer holds the lease' })
      standbys.push(startWarmStandby({ ...options, connection }))
    },
  })
  parts.add('lease', lease.release)
  for (const standby of standbys) await standby.stop()
}

function rankedChains(chains: Chains) {
  return chains.list().flatMap(({ chainId, engine, gatewayChain }) => {
    const headS = engine.head()?.timeS
    if (headS === undefined) return []
    const quoteIds = quoteIdsOf(gatewayChain)
    return [{ chainId, chain: gatewayChain.profile.name, headS, quoteIds }]
  })
}

/** Deletes images of chains that no config or store names any more. */
async function removeUnconfigured(options: RoleOptions): Promise<void> {
  const { config, store, database, leftOut, logger } = options
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
async function takeDatabase(options: RoleOptions): Promise<ChainClaim> {
  const { config, database, logger, parts } = options
  const { connection } = database
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
