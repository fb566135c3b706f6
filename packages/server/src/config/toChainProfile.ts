import { strict as assert } from 'node:assert'
import { type ChainKind, canonicalToken } from '@chaintape/protocol'
import type { ChainProfile } from '../model/chainProfile.ts'
import type { ChainConfig } from './chainSchema.ts'

/** A checked chain of the config as the stages see it, with canonical addresses. */
export function toChainProfile(name: string, chain: ChainConfig): ChainProfile {
  const canonical = (address: string) => canonicalOf(chain.kind, address)
  const stables = chain.stables.map(canonical)
  const wrappedToken = canonical(chain.native.wrapped_token)
  const listed = chain.quotes.map(canonical)
  const unlisted = [...stables, wrappedToken].filter((address) => !listed.includes(address))
  return {
    name,
    native: { symbol: chain.native.symbol, decimals: chain.native.decimals, wrappedToken },
    stables,
    quotes: [...unlisted, ...listed],
    venues: chain.factories.map(({ address, venue, amm }) => ({
      address: canonical(address),
      venue,
      amm,
    })),
    launchPlatforms: chain.launch_platforms.map(({ address, platform, amm }) => ({
      address: canonical(address),
      platform,
      amm,
    })),
    burnAddresses: chain.burn_addresses.map(canonical),
    lockers: chain.lockers.map(canonical),
    outOfCirculation: chain.out_of_circulation.map(canonical),
    nativePoolUsdMin: chain.native_pool_usd_min,
    reorgDepthMax: chain.reorg_depth_max,
  }
}

function canonicalOf(kind: ChainKind, address: string): string {
  const canonical = canonicalToken(kind, address)
  assert(canonical !== null, 'the config was checked')
  return canonical
}
