import { transferVenue } from './poolsByTransfers.ts'
import { createSolanaVenueSet, type SolanaVenueSet } from './venueSet.ts'
import { knownSolanaVenues, solanaVenues } from './venues.ts'

/** A venue that a config adds: its program, and the places of pool and trader among its accounts. */
export type ConfiguredVenue = {
  program: string
  pool: number
  user: number
  /** @default the program */
  name?: string | undefined
}

/** The venues of the product, and those of a config. */
export function venuesWith(configured: readonly ConfiguredVenue[] = []): SolanaVenueSet {
  if (configured.length === 0) return knownSolanaVenues
  const added = configured.map(({ program, pool, user, name = program }) =>
    transferVenue({ name, programs: [program], any: { pool, user } }),
  )
  return createSolanaVenueSet([...solanaVenues, ...added])
}
