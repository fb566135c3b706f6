import type { TokenKind } from '../contracts/deployment.ts'

export type PoolListing = {
  venue: 'v2' | 'v3'
  fee: number
  quote: 'WETH' | 'USDC' | 'USDT'
  /** Value of one side. */
  sideUsd: number
}

export type TokenListing = {
  symbol: string
  name: string
  kind: TokenKind
  decimals: number
  priceUsd: number
  /** Whole tokens. */
  supply: number
  swing: number
  pools: readonly PoolListing[]
}

const v2 = (quote: PoolListing['quote'], sideUsd: number): PoolListing => {
  return { venue: 'v2', fee: 3000, quote, sideUsd }
}

const v3 = (quote: PoolListing['quote'], fee: number, sideUsd: number): PoolListing => {
  return { venue: 'v3', fee, quote, sideUsd }
}

export const ethUsd = 2500

/** The native token first: the others are priced through it. */
export const nativePools: readonly PoolListing[] = [
  v2('USDC', 2_000_000),
  v3('USDC', 500, 3_000_000),
  v2('USDT', 800_000),
  v3('USDT', 3000, 900_000),
]

/** Its liquidity moves between two pools, so that its main pair switches. */
export const wandererSymbol = 'SWAY'

/** Part of its supply and most liquidity of its only pool are locked. */
export const lockedSymbol = 'NINE'

// Name, kind, decimals, price, supply, swing: one of each kind that a decoder or a risk report must
// handle.
export const listings: readonly TokenListing[] = [
  token('ALFA', 'Alfa Protocol', 'plain', 18, 1.8, 20e6, 0.15, [
    v2('WETH', 300_000),
    v3('WETH', 3000, 400_000),
  ]),
  token(lockedSymbol, 'Nine Decimals', 'plain', 9, 0.042, 500e6, 0.25, [v2('WETH', 120_000)]),
  token('SIXER', 'Sixer', 'plain', 6, 12.5, 4e6, 0.12, [v3('USDC', 3000, 250_000)]),
  token('WHOLE', 'Whole Pieces Only', 'plain', 0, 35, 1e6, 0.2, [v2('WETH', 90_000)]),
  token('MKB', 'Maker of Bytes', 'bytes32', 18, 640, 100_000, 0.1, [
    v2('WETH', 200_000),
    v3('WETH', 10_000, 150_000),
  ]),
  token('TAXED', 'Taxed on Transfer', 'fee', 18, 0.3, 90e6, 0.2, [v2('WETH', 70_000)]),
  token('HONEY', 'Honey Jar', 'honeypot', 18, 0.01, 1e9, 0.3, [v2('WETH', 40_000)]),
  token('MINTY', 'Minty Fresh', 'mintable', 18, 2.2, 10e6, 0.18, [
    v2('USDC', 150_000),
    v3('USDC', 3000, 200_000),
  ]),
  token('STOP', 'Stop and Go', 'pausable', 9, 0.9, 30e6, 0.2, [v2('WETH', 80_000)]),
  token(wandererSymbol, 'Sway', 'plain', 18, 4.4, 20e6, 0.12, [
    v2('WETH', 260_000),
    v2('USDC', 70_000),
  ]),
  token('EVIL', 'Evil', 'hostile', 18, 0.0007, 10e9, 0.35, [v2('WETH', 50_000)]),
  token('DELTA', 'Delta Finance', 'plain', 18, 88, 400_000, 0.1, [v3('WETH', 500, 500_000)]),
  token('EPSY', 'Epsilon', 'plain', 6, 0.15, 200e6, 0.22, [v2('USDT', 100_000)]),
  token('OMEG', 'Omega Eight', 'plain', 8, 5.1, 8e6, 0.14, [
    v2('WETH', 180_000),
    v3('USDC', 3000, 220_000),
  ]),
]

function token(
  symbol: string,
  name: string,
  kind: TokenKind,
  decimals: number,
  priceUsd: number,
  supply: number,
  swing: number,
  pools: readonly PoolListing[],
): TokenListing {
  return { symbol, name, kind, decimals, priceUsd, supply, swing, pools }
}
