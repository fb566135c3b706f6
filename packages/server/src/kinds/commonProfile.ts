import { strict as assert } from 'node:assert'
import type { ChainIds } from '@chaintape/protocol'
import type { ChainProfile } from '../model/chainProfile.ts'
import type { Finality } from '../model/trust/finality.ts'
import { type PlausibilityLimits, plausibilityLimitsDefault } from '../resolve/plausibility.ts'
import type { CommonChainConfig } from './commonChainFields.ts'

/** What the stages know of a chain, without what each kind names in its own way. */
export type CommonProfile = Omit<ChainProfile, 'venues' | 'burnAddresses'>

/**
 * From a checked config, with canonical addresses. `coin`: what venues name where they trade the coin itself; it takes the
 * place of the wrapped token on a chain that has none.
 */
export function commonProfileOf(
  name: string,
  chain: CommonChainConfig,
  ids: ChainIds,
  coin?: string,
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
    reorgDepthMax: chain.reorg_depth_max,
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
  return finality === 'finalized' ? { type: 'tag' } : { type: 'depth', blocks: finality }
}
