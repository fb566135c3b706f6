import { meteoraDammV1 } from './meteoraDammV1.ts'
import { meteoraDammV2 } from './meteoraDammV2.ts'
import { meteoraDbc } from './meteoraDbc.ts'
import { meteoraDlmm } from './meteoraDlmm.ts'
import { moonshot } from './moonshot.ts'
import { orcaWhirlpool } from './orcaWhirlpool.ts'
import { poolsByTransfers, transferVenue } from './poolsByTransfers.ts'
import { pumpFun } from './pumpFun.ts'
import { pumpSwap } from './pumpSwap.ts'
import { raydiumAmmV4 } from './raydiumAmmV4.ts'
import { byreal, pancakeClmm, raydiumClmm } from './raydiumClmm.ts'
import { raydiumCpmm } from './raydiumCpmm.ts'
import { raydiumLaunchLab } from './raydiumLaunchLab.ts'
import { createSolanaVenueSet, type SolanaVenue, type SolanaVenueSet } from './venue.ts'

/** All known venues. A new venue is a file beside this one and a line here. */
export const solanaVenues: readonly SolanaVenue[] = [
  ...[pumpFun, pumpSwap, raydiumAmmV4, raydiumCpmm, raydiumClmm, raydiumLaunchLab],
  ...[orcaWhirlpool, meteoraDlmm, meteoraDammV1, meteoraDammV2, meteoraDbc, moonshot],
  ...[pancakeClmm, byreal],
  ...poolsByTransfers,
]

export const knownSolanaVenues: SolanaVenueSet = createSolanaVenueSet(solanaVenues)

/**
 * A venue added by the config: its program, and the indexes of pool and trader among its accounts.
 */
export type ConfiguredVenue = {
  program: string
  pool: number
  user: number
  /** @default the program's id */
  name?: string | undefined
}

/** The built-in venues and those of a config. */
export function venuesWith(configured: readonly ConfiguredVenue[] = []): SolanaVenueSet {
  if (configured.length === 0) return knownSolanaVenues
  const added = configured.map(({ program, pool, user, name = program }) =>
    transferVenue({ name, programs: [program], any: { pool, user } }),
  )
  return createSolanaVenueSet([...solanaVenues, ...added])
}
