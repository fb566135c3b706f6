import type { Address } from 'viem'
import { chainId, type DevnetProfile, deadAddress, zeroAddress } from '../profile.ts'

/** Everything deployed at the start, as plain JSON. */
export type Deployment = {
  /** Everything exists from this block on. */
  blockNumber: number
  weth: Address
  usdc: Address
  usdt: Address
  factoryV2: Address
  routerV2: Address
  factoryV3: Address
  positions: Address
  routerV3: Address
  multicall3: Address
  launchPad: Address
  lens: Address
  locker: Address
  /** Empty without a market. */
  tokens: readonly ListedToken[]
  pools: readonly ListedPool[]
}

export type TokenKind =
  | 'plain'
  | 'bytes32'
  | 'fee'
  | 'honeypot'
  | 'mintable'
  | 'pausable'
  | 'hostile'
  | 'native'
  | 'stable'

export type ListedToken = {
  address: Address
  symbol: string
  decimals: number
  kind: TokenKind
  /** Price at which the bots start. */
  priceUsd: number
  /**
   * Step of the random walk of that price: 0.1 is about 15 % in an hour, at most 30 % up or down.
   */
  swing: number
}

export type ListedPool = {
  address: Address
  venue: 'v2' | 'v3'
  /** In hundredths of a basis point, as in V3. */
  fee: number
  base: Address
  quote: Address
  /** The provider of its first liquidity. */
  lp: Address
}

/** The same contracts as an indexer's configuration. */
export function profileOf(deployment: Deployment): DevnetProfile {
  const { weth, usdc, usdt, factoryV2, factoryV3, launchPad, locker, multicall3 } = deployment
  return {
    name: 'local',
    networkId: `${chainId}`,
    native: { symbol: 'ETH', decimals: 18, wrappedToken: weth },
    stables: [usdc, usdt],
    quotes: [usdc, usdt, weth],
    venues: [
      { address: factoryV2, venue: 'uniswapV2', amm: 'uniswapv2', feePpm: 3_000 },
      { address: factoryV3, venue: 'uniswapV3', amm: 'uniswapv3' },
    ],
    launchPlatforms: [{ address: launchPad, platform: 'tape', amm: 'tapecurve' }],
    burnAddresses: [zeroAddress, deadAddress],
    lockers: [locker],
    outOfCirculation: [],
    nativePoolUsdMin: 10_000,
    reorgDepthMax: 64,
    multicall3,
  }
}
