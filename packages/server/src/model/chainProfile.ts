import type { PairRecord } from './pair.ts'

/** What the market of one chain rests on; from the config, the same for every stage. Addresses are canonical text. */
export type ChainProfile = {
  /** Short lower-case word, for example `eth`, `bsc`, `solana`, `local`. */
  name: string
  /** What the network calls itself: the number of an EVM chain. @default not told */
  networkId?: string | undefined
  native: NativeProfile
  /** Worth 1 USD by definition; the coin itself may be among them. */
  stables: readonly string[]
  /** Quote assets, most preferred first; stables, the wrapped native token and the coin itself are among them. */
  quotes: readonly string[]
  /** Whose pools are trusted where it confirms them. */
  venues: readonly VenueProfile[]
  launchPlatforms: readonly { address: string; platform: string; amm: string }[]
  /** The chain's zero address first: transfers from it are mints. */
  burnAddresses: readonly string[]
  lockers: readonly string[]
  /** Holders counted as `other` supply. */
  outOfCirculation: readonly string[]
  /** USD value under which a pool does not price the native token. */
  nativePoolUsdMin: number
  /** Blocks that can be reverted. */
  reorgDepthMax: number
  /** Where logos of tokens are, with `{address}` in it. @default nobody knows */
  logoUrl?: string | undefined
  /** Tokens are asked where their images are. @default false */
  hasImages?: boolean | undefined
  /** Where that of the market goes which does not fit into memory. @default all of it is in memory */
  paging?: { directory: string; bytesMax: number } | undefined
  /** Its market is made up, for whoever tries the service. @default false */
  isDemo?: boolean | undefined
}

export type NativeProfile = {
  symbol: string
  decimals: number
  /** The token that wraps the coin; the coin's own address on a chain without one. */
  wrappedToken: string
  /** What venues name where they trade the coin itself, as the zero address: a quote asset too. @default none does */
  coin?: string | undefined
}

/** A DEX on this chain: the contract or program that makes or keeps its pools. */
export type VenueProfile = {
  address: string
  /** The name of the file in `venues/` that knows its events, its prices and what confirms a pool. */
  venue: string
  /** Its word on the wire, for example `uniswapv2`. */
  amm: string
  /** What a swap costs on all of its pools, where they do not say so themselves. @default not known */
  feePpm?: number | undefined
}

/** What a swap on the pair costs: the pool's own word, or the config's of its factory. Null: not known. */
export function feePpmOf(
  { venues }: ChainProfile,
  { feePpm, factory, isTrusted }: Pick<PairRecord, 'feePpm' | 'factory' | 'isTrusted'>,
): number | null {
  // Anybody's pool may name a factory.
  if (feePpm !== null || !isTrusted) return feePpm
  return venues.find(({ address }) => address === factory)?.feePpm ?? null
}

/** Empty: nobody knows where it is. */
export function logoUrlOf({ logoUrl = '' }: ChainProfile, address: string): string {
  return logoUrl.replace('{address}', address)
}
