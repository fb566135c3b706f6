import { strict as assert } from 'node:assert'
import type { ChainIds } from '@chaintape/protocol'
import type { Secrets } from '../lib/redactSecrets.ts'
import type { ChainProfile } from '../model/chainProfile.ts'
import type { Finality } from '../model/trust/finality.ts'
import { type PlausibilityLimits, plausibilityLimitsDefault } from '../resolve/plausibility.ts'
import type { CommonChainConfig } from './commonChainFields.ts'

/**
 * Options that a chain is opened with. Plain data, so that it can be posted to a thread. Each
 * family adds what its nodes need.
 */
export type ChainSetup = {
  /** Name of the chain's family. */
  kind: string
  profile: ChainProfile
  /** Key of the chain's stored data. Differs from the name for a local chain that can be reset. */
  storeName: string
  startBlock: number | 'latest'
  finality: Finality
  limits: PipelineLimits
  /**
   * Bounds above which a block is verified before it is applied. @default plausibilityLimitsDefault
   */
  plausibility?: PlausibilityLimits | undefined
  /** Redacted from node errors, besides secrets in node URLs. @default none */
  secrets?: Secrets | undefined
}

// A second node is asked after 1/hedgeShare of the first one's time limit: late enough to be rare.
export const hedgeDivisor = 10

export type PipelineLimits = {
  resolveMsMax: number
  ignoreMs: number
  creationSearchesMax: number
  shareReadsMax: number
  /** Time between re-reads of stored unverified blocks. @default 60_000 */
  doubtReviewMs?: number | undefined
  rpcMsMax: number
  rpcBatchRequestsMax: number
  logRangeBlocksMax: number
  backfillRangesMax: number
  /** Log entries handed over but not applied yet. */
  entriesAheadMax: number
}

/** The part of a chain's profile that all families derive from the config in the same way. */
export type CommonProfile = Omit<ChainProfile, 'venues' | 'burnAddresses'>

/** Bounds of the blocks held in memory for reverts, whatever time is configured. */
const heldBlocksMin = 128
const heldBlocksMax = 10_000

/**
 * Derives a profile from a checked config, with canonical addresses. `blockMs`: usual time between
 * two blocks. `coin`: the address under which venues name the coin itself; it replaces the wrapped
 * token on chains without one.
 */
export function commonProfileOf(
  name: string,
  chain: CommonChainConfig,
  { ids, blockMs, coin }: { ids: ChainIds; blockMs: number; coin?: string },
): CommonProfile {
  const canonical = (address: string) => canonicalOf(ids, address)
  const stables = chain.stables.map(canonical)
  const { symbol, decimals, wrapped_token: wrapped = coin } = chain.native
  assert(wrapped !== undefined, 'the config was checked')
  const wrappedToken = canonical(wrapped)
  const listed = chain.quotes.map(canonical)
  const unlisted = [...stables, wrappedToken].filter((address) => !listed.includes(address))
  return {
    name,
    native: { symbol, decimals, wrappedToken, coin },
    stables,
    quotes: [...unlisted, ...listed],
    launchPlatforms: chain.launch_platforms.map(({ address, platform, amm }) => ({
      address: canonical(address),
      platform,
      amm,
    })),
    lockers: chain.lockers.map(canonical),
    logoUrl: chain.logo_url || undefined,
    outOfCirculation: chain.out_of_circulation.map(canonical),
    nativePoolUsdMin: chain.native_pool_usd_min,
    reorgDepthMax: heldBlocksOf(chain.reorg_depth_max, blockMs),
  }
}

export function canonicalOf(ids: ChainIds, address: string): string {
  const canonical = ids.token(address)
  assert(canonical !== null, 'the config was checked')
  return canonical
}

export function plausibilityOf({ plausibility }: CommonChainConfig): PlausibilityLimits {
  return {
    ...plausibilityLimitsDefault,
    jumpFactorMax: plausibility.jump_factor_max,
    amountBitsMax: plausibility.amount_bits_max,
    disagreementPpmMax: plausibility.disagreement_ppm_max,
  }
}

export function finalityOf({ finality }: CommonChainConfig): Finality {
  if (finality === 'finalized') return { type: 'tag' }
  if (typeof finality === 'number') return { type: 'depth', blocks: finality }
  return { type: 'age', seconds: Number.parseInt(finality, 10) }
}

/**
 * Converts a reorg depth in seconds to blocks. It sizes buffers before any block is read, so it
 * relies on the configured block time.
 */
function heldBlocksOf(depth: string | number, blockMs: number): number {
  if (typeof depth === 'number') return depth
  const blocks = Math.ceil((Number.parseInt(depth, 10) * 1_000) / blockMs)
  return Math.min(heldBlocksMax, Math.max(heldBlocksMin, blocks))
}
