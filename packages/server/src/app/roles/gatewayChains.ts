import type { Config } from '../../config/schema/schema.ts'
import { createEngine } from '../../engine/engine.ts'
import { type GatewayChain, notReadyReason } from '../../gateway/chain/gatewayChain.ts'
import { RecentBlocks } from '../../gateway/chain/recentBlocks.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import type { Logger } from '../../lib/logger.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { RiskLimits } from '../../risk/riskChecker.ts'
import { configuredSetups } from '../chain/configuredChains.ts'
import { createServedChain, riskLimitsOf } from '../chain/servedChain.ts'
import { localChainKinds } from '../demo/devnetSetup.ts'

export type UnopenedChainOptions = {
  /** Chain kind, such as `evm`. */
  kind: string
  profile: ChainProfile
  startBlock: ChainSetup['startBlock']
  /** Reason why the chain waits; shown to callers. */
  opening: string
  queueBlocksMax: number
  riskLimits: RiskLimits
  logger: Logger
}

// The store numbers its chains from 1.
const noStoreId = 0

/**
 * Placeholder for a configured chain that is not open yet: an empty market whose status gives
 * callers the reason.
 */
export function unopenedChainPlaceholder(options: UnopenedChainOptions): GatewayChain {
  const {
    kind,
    profile,
    startBlock,
    opening: openingReason,
    queueBlocksMax,
    riskLimits,
    logger,
  } = options
  const { gatewayChain } = createServedChain({
    kind,
    profile,
    riskLimits,
    logger,
    chainId: noStoreId,
    engine: createEngine({ profile }),
    recent: new RecentBlocks({ seq: 0, number: -1, reorgDepthMax: profile.reorgDepthMax }),
    status: () => ({
      state: 'catching_up',
      wasReady: false,
      lagReason: openingReason,
      tipNumber: null,
      persistedNumber: null,
      queueBlocks: 0,
      queueBlocksMax,
      pausedReason: null,
      databaseError: null,
      rpcError: null,
      unresolvedPools: 0,
      missedPools: null,
      startBlock,
      openingReason,
      history: { firstNumber: null, swapsFromS: null },
      retentionError: null,
      tipTimeS: null,
    }),
  })
  return gatewayChain
}

/**
 * Placeholder for a market that may contain half an entry after image damage. Callers get the
 * reason until the service exits.
 */
export function damagedChainPlaceholder(
  options: Omit<UnopenedChainOptions, 'opening'>,
): GatewayChain {
  return unopenedChainPlaceholder({
    ...options,
    opening: 'its image is damaged, and the service ends',
  })
}

/** Placeholder profile of the local EVM chain until its contracts are known. */
export const placeholderLocalProfile: ChainProfile = {
  name: 'local',
  native: { symbol: 'ETH', decimals: 18, wrappedToken: '' },
  launchPlatforms: [{ address: '', platform: 'tape', amm: 'tapecurve' }],
  stables: [],
  quotes: [],
  venues: [],
  burnAddresses: [],
  lockers: [],
  outOfCirculation: [],
  nativePoolUsdMin: 0,
  reorgDepthMax: 0,
  isDemo: true,
}

const unknownLocalsolProfile: ChainProfile = {
  ...placeholderLocalProfile,
  name: 'localsol',
  native: { symbol: 'SOL', decimals: 9, wrappedToken: '' },
  launchPlatforms: [{ address: '', platform: 'pump', amm: 'pump' }],
}

/** Returns the placeholder profile of a local chain that does not run yet. */
export function placeholderProfileOf(name: string): ChainProfile {
  return name === unknownLocalsolProfile.name ? unknownLocalsolProfile : placeholderLocalProfile
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
