import { algebra } from './algebra.ts'
import { ambient } from './ambient.ts'
import { balancerV2 } from './balancer/balancerV2.ts'
import { balancerV3 } from './balancer/balancerV3.ts'
import { curve, curveUnderlying, saddle } from './curve.ts'
import { dodo, dodoV1 } from './dodo.ts'
import { ekubo } from './ekubo.ts'
import { fluid } from './fluid.ts'
import { clanker } from './launches/clanker.ts'
import { flap } from './launches/flap.ts'
import { fourMeme } from './launches/fourMeme.ts'
import { launchPad } from './launches/launchPad.ts'
import { nadFun } from './launches/nadFun.ts'
import { bags, pons } from './launches/ownCurves.ts'
import { virtuals } from './launches/virtuals.ts'
import { zora } from './launches/zora.ts'
import { liquidityBook } from './liquidityBook.ts'
import { maverickV1, maverickV2 } from './maverick.ts'
import { pancakeInfinityBin, pancakeInfinityCl } from './pancake/pancakeInfinity.ts'
import { pancakeV3 } from './pancake/pancakeV3.ts'
import { slipstream } from './slipstream.ts'
import { solidly } from './solidly.ts'
import {
  balancerV1,
  bancor,
  bancorV2,
  clipper,
  defiPlaza,
  gmx,
  kyberReserve,
  mento,
  mooniswap,
  sparkPsm,
  trident,
  wombat,
  wooFi,
} from './swapOnlyNamedVenues.ts'
import { eulerSwap, iziSwap, kyberClassic, smarDex } from './swapOnlyPairVenues.ts'
import { makerPsm, mStable } from './swapOnlyTransferVenues.ts'
import { syncSwap } from './syncSwap.ts'
import { uniswapV1 } from './uniswap/uniswapV1.ts'
import { uniswapV2 } from './uniswap/uniswapV2.ts'
import { uniswapV3 } from './uniswap/uniswapV3.ts'
import { uniswapV4 } from './uniswap/uniswapV4.ts'
import type { EvmVenue } from './venue.ts'
import { createVenueSet, type VenueSet } from './venueSet.ts'

/**
 * All known venues. A new venue is a file or folder beside this one, a line here, and a name in
 * poolVenueNames.ts.
 */
export const evmVenues: readonly EvmVenue[] = [
  uniswapV2,
  // Before Solidly, whose events it shares: if both remain possible, the first one gives its name.
  syncSwap,
  solidly,
  uniswapV3,
  pancakeV3,
  slipstream,
  algebra,
  uniswapV4,
  pancakeInfinityCl,
  pancakeInfinityBin,
  curve,
  curveUnderlying,
  balancerV2,
  balancerV3,
  liquidityBook,
  dodo,
  maverickV2,
  fluid,
  wooFi,
  uniswapV1,
  balancerV1,
  ekubo,
  eulerSwap,
  iziSwap,
  kyberClassic,
  smarDex,
  maverickV1,
  dodoV1,
  saddle,
  wombat,
  gmx,
  bancor,
  mooniswap,
  clipper,
  trident,
  mento,
  bancorV2,
  ambient,
  sparkPsm,
  defiPlaza,
  kyberReserve,
  makerPsm,
  mStable,
  virtuals,
  launchPad,
  fourMeme,
  flap,
  nadFun,
  pons,
  bags,
  clanker,
  zora,
]

export const knownVenues: VenueSet = createVenueSet(evmVenues)
