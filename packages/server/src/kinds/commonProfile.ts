import { strict as assert } from 'node:assert'
import type { ChainIds } from '@chaintape/protocol'
import type { ChainProfile } from '../model/chainProfile.ts'
import type { Finality } from '../model/trust/finality.ts'
import { type PlausibilityLimits, plausibilityLimitsDefault } from '../resolve/plausibility.ts'
import type { CommonChainConfig } from './commonChainFields.ts'

/** What the stages know of a chain, without what each kind names in its own way. */
export type CommonProfile = Omit<ChainProfile, 'venues' | 'burnAddresses'>

/** However long their time is, so many blocks can be reverted in memory. */
const heldBlocksMin = 128
const heldBlocksMax = 10_000

/**
 * From a checked config, with canonical addresses. `blockMs`: the usual time between two blocks. `coin`: what venues name where
 * they trade the coin itself; it takes the place of the wrapped token on a chain that has none.
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

/** A size of buffers, which every process needs before it has read a block: so it rests on the config. */
function heldBlocksOf(depth: string | number, blockMs: number): number {
  if (typeof depth === 'number') return depth
  const blocks = Math.ceil((Number.parseInt(depth, 10) * 1_000) / blockMs)
  return Math.min(heldBlocksMax, Math.max(heldBlocksMin, blocks))
}
