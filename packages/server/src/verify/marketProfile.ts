/** What must be known of a chain beforehand. Addresses are lower-case hex. */
export type MarketProfile = {
  native: { decimals: number; wrappedToken: string }
  /** Worth 1 USD by definition. */
  stables: readonly string[]
  /** Most preferred first. */
  quotes: readonly string[]
  venues: readonly { address: string; venue: string }[]
  launchPlatforms: readonly { address: string }[]
  /** Whose holdings are burnt, locked or otherwise out of circulation; none is in two lists. */
  burnAddresses: readonly string[]
  lockers: readonly string[]
  outOfCirculation: readonly string[]
  /** USD value under which a pool does not price the native token. */
  nativePoolUsdMin: number
}
