import { meteoraDammV1 } from './meteoraDammV1.ts'
import { meteoraDammV2 } from './meteoraDammV2.ts'
import { meteoraDbc } from './meteoraDbc.ts'
import { meteoraDlmm } from './meteoraDlmm.ts'
import { moonshot } from './moonshot.ts'
import { orcaWhirlpool } from './orcaWhirlpool.ts'
import { poolsByTransfers } from './poolsByTransfers.ts'
import { pumpFun } from './pumpFun.ts'
import { pumpSwap } from './pumpSwap.ts'
import { raydiumAmmV4 } from './raydiumAmmV4.ts'
import { byreal, pancakeClmm, raydiumClmm } from './raydiumClmm.ts'
import { raydiumCpmm } from './raydiumCpmm.ts'
import { raydiumLaunchLab } from './raydiumLaunchLab.ts'
import type { SolanaVenue } from './venue.ts'
import { createSolanaVenueSet, type SolanaVenueSet } from './venueSet.ts'

/** All known venues. A new venue is a file beside this one and a line here. */
export const solanaVenues: readonly SolanaVenue[] = [
  ...[pumpFun, pumpSwap, raydiumAmmV4, raydiumCpmm, raydiumClmm, raydiumLaunchLab],
  ...[orcaWhirlpool, meteoraDlmm, meteoraDammV1, meteoraDammV2, meteoraDbc, moonshot],
  ...[pancakeClmm, byreal],
  ...poolsByTransfers,
]

export const knownSolanaVenues: SolanaVenueSet = createSolanaVenueSet(solanaVenues)
