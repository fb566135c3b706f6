import type { PairRecord } from './pair.ts'

/**
 * Facts of one chain that its market depends on; from the config, the same for every stage.
 * Addresses are canonical.
 */
export type ChainProfile = {
  /** Short lower-case word, for example `eth`, `bsc`, `solana`, `local`. */
  name: string
  /** The network's own id: the chain id of an EVM chain. @default unknown */
  networkId?: string | undefined
  native: NativeProfile
  /** Worth 1 USD by definition; may include the native coin. */
  stables: readonly string[]
  /**
   * Quote assets, most preferred first; includes stables, the wrapped native token and the native
   * coin.
   */
  quotes: readonly string[]
  /** Venues whose confirmed pools are trusted. */
  venues: readonly VenueProfile[]
  launchPlatforms: readonly { address: string; platform: string; amm: string }[]
  /** The chain's zero address first: transfers from it are mints. */
  burnAddresses: readonly string[]
  lockers: readonly string[]
  /** Holders counted as `other` supply. */
  outOfCirculation: readonly string[]
  /** Minimum USD value of a pool that prices the native token. */
  nativePoolUsdMin: number
  /** Blocks that can be reverted. */
  reorgDepthMax: number
  /** URL of token logos, with `{address}` in it. @default unknown */
  logoUrl?: string | undefined
  /** Reads images from the tokens themselves. @default false */
  hasImages?: boolean | undefined
  /**
   * File storage for the part of the market that does not fit into memory. @default the whole
   * market is in memory
   */
  paging?: { directory: string; bytesMax: number } | undefined
  /** True for a made-up market, to try the service. @default false */
  isDemo?: boolean | undefined
}

type NativeProfile = {
  symbol: string
  decimals: number
  /** The token that wraps the native coin; the coin's own address on a chain without one. */
  wrappedToken: string
  /**
   * Address by which venues name the native coin, such as the zero address: a quote asset, too.
   * @default none
   */
  coin?: string | undefined
}

/** A DEX on this chain: the contract or program that creates or keeps its pools. */
export type VenueProfile = {
  address: string
  /** Name of the file in `venues/` with its events, prices and pool confirmation. */
  venue: string
  /** Name on the wire, for example `uniswapv2`. */
  amm: string
  /** Fee of all its pools, if they do not report one. @default unknown */
  feePpm?: number | undefined
}

/** Swap fee of a pair: the pool's own, or its factory's from the config. Null if unknown. */
export function feePpmOf(
  { venues }: ChainProfile,
  { feePpm, factory, isTrusted }: Pick<PairRecord, 'feePpm' | 'factory' | 'isTrusted'>,
): number | null {
  // An untrusted pool may name any factory.
  if (feePpm !== null || !isTrusted) return feePpm
  return venues.find(({ address }) => address === factory)?.feePpm ?? null
}

/** Empty if unknown. */
export function logoUrlOf({ logoUrl = '' }: ChainProfile, address: string): string {
  return logoUrl.replace('{address}', address)
}
