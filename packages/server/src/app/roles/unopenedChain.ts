import { createEngine } from '../../engine/engine.ts'
import type { GatewayChain } from '../../gateway/chain/gatewayChain.ts'
import { RecentBlocks } from '../../gateway/chain/recentBlocks.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import type { Logger } from '../../lib/logger.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { RiskLimits } from '../../risk/riskLimits.ts'
import { createServedChain } from '../chain/servedChain.ts'

export type UnopenedChainOptions = {
  /** Chain kind, such as `evm`. */
  kind: string
  profile: ChainProfile
  startBlock: ChainSetup['startBlock']
  /** What the chain waits for; shown to callers. */
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
