import { quoteIdsOf } from '../../gateway/rest/wallets/readPositions.ts'
import { takeChainLease } from '../../store/chainLease.ts'
import { localEvmKind, localSolanaKind } from '../demo/devnetSetup.ts'
import type { Chains } from './chains.ts'
import { claimChainsByName } from './claimedChains.ts'
import { createGatewayPart } from './gatewayPart.ts'
import { createIndexerPart } from './indexerPart.ts'
import { type SeededKeys, seedKeys, seedOptionsOf } from './seedKeys.ts'
import type { RoleOptions, StartedRole } from './startedRole.ts'
import { riskWatchLimitsOf, startRiskWatch } from './startRiskWatch.ts'
import { smartWalletsLimitsOf, startSmartWallets } from './startSmartWallets.ts'
import { startWarmStandby } from './warmStandby.ts'
import { warnIfExposed } from './warnIfExposed.ts'

/** Starts indexing and serving in one process. An indexer serves only health and metrics. */
export async function startIndexing(options: RoleOptions): Promise<StartedRole> {
  const { config, store, logger, parts } = options
  let seeded: SeededKeys | null = null
  const serve = createGatewayPart({ ...options, isSeeded: () => seeded !== null })
  const { gatewayChains } = serve.marketConsumer
  const { chains, start } = createIndexerPart({ ...options, marketConsumer: serve.marketConsumer })
  // Change nothing before the port is open and no other process writes the chains, so that a failed
  // start leaves no trace.
  const address = await serve.listen()
  const isExposed = warnIfExposed(config.server, address, logger)
  if (config.role === 'indexer') await takeLease(options)
  await start(async (claims) => {
    seeded = await seedKeys(store, seedOptionsOf(config, claims))
  })

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
