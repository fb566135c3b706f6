/** What an indexer must be told of this chain. Plain JSON; addresses are lower-case hex. */
export type DevnetProfile = {
  name: string
  native: { symbol: string; decimals: number; wrappedToken: string }
  stables: readonly string[]
  /** Most preferred first. */
  quotes: readonly string[]
  venues: readonly {
    address: string
    venue: 'uniswapV2' | 'uniswapV3'
    amm: 'uniswapv2' | 'uniswapv3'
  }[]
  launchPlatforms: readonly { address: string; platform: string; amm: string }[]
  /** The zero address first. */
  burnAddresses: readonly string[]
  lockers: readonly string[]
  outOfCirculation: readonly string[]
  nativePoolUsdMin: number
  reorgDepthMax: number
  multicall3: string
}

export const zeroAddress = '0x0000000000000000000000000000000000000000'
export const deadAddress = '0x000000000000000000000000000000000000dead'
