import { launchPad } from './launchPad.ts'
import { pancakeV3 } from './pancakeV3.ts'
import { uniswapV2 } from './uniswapV2.ts'
import { uniswapV3 } from './uniswapV3.ts'
import type { EvmVenue } from './venue.ts'
import { createVenueSet, type VenueSet } from './venueSet.ts'

/** Every venue that is known. A new one is a file beside this one and a line here. */
export const evmVenues: readonly EvmVenue[] = [uniswapV2, uniswapV3, pancakeV3, launchPad]

/** Those whose factories, managers or vaults a chain's config may name. */
export const poolVenueNames: readonly string[] = evmVenues
  .filter(({ kind }) => kind !== 'curve')
  .map(({ name }) => name)

export const knownVenues: VenueSet = createVenueSet(evmVenues)
