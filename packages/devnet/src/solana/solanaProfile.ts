import { cpmmAuthority, cpmmProgram, whirlpoolProgram } from './poolPrograms.ts'
import { pumpProgram, pumpSwapProgram } from './pumpPrograms.ts'
import { usdc, wrappedSol } from './world.ts'

/** Configuration of the generated chain for an indexer. Plain JSON. */
export type SolanaProfile = {
  name: string
  native: { symbol: string; decimals: number; wrappedToken: string }
  stables: readonly string[]
  /** Most preferred first. */
  quotes: readonly string[]
  venues: readonly { address: string; venue: string; amm: string }[]
  launchPlatforms: readonly { address: string; platform: string; amm: string }[]
  burnAddresses: readonly string[]
  lockers: readonly string[]
  outOfCirculation: readonly string[]
  nativePoolUsdMin: number
  reorgDepthMax: number
  /** Program addresses that own the vaults of many pools. */
  sharedOwners: readonly string[]
}

export const solanaProfile: SolanaProfile = {
  name: 'localsol',
  native: { symbol: 'SOL', decimals: 9, wrappedToken: wrappedSol },
  stables: [usdc],
  quotes: [usdc, wrappedSol],
  venues: [
    { address: cpmmProgram, venue: 'raydiumCpmm', amm: 'raydiumcpmm' },
    { address: whirlpoolProgram, venue: 'orcaWhirlpool', amm: 'whirlpool' },
    { address: pumpSwapProgram, venue: 'pumpSwap', amm: 'pumpswap' },
  ],
  launchPlatforms: [{ address: pumpProgram, platform: 'pump', amm: 'pump' }],
  burnAddresses: [
    '11111111111111111111111111111111',
    '1nc1nerator11111111111111111111111111111111',
  ],
  lockers: [],
  outOfCirculation: [],
  nativePoolUsdMin: 0,
  reorgDepthMax: 64,
  sharedOwners: [cpmmAuthority],
}
