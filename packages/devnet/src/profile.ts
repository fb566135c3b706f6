/** Configuration of this chain for an indexer. Plain JSON; addresses are lower-case hex. */
export type DevnetProfile = {
  name: string
  networkId: string
  native: { symbol: string; decimals: number; wrappedToken: string }
  stables: readonly string[]
  /** Most preferred first. */
  quotes: readonly string[]
  venues: readonly {
    address: string
    venue: 'uniswapV2' | 'uniswapV3'
    amm: 'uniswapv2' | 'uniswapv3'
    /** Fee of every pool in millionths, if pools do not report it. */
    feePpm?: number
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

/** Chain id of the local network, as Hardhat's. */
export const chainId = 31_337
