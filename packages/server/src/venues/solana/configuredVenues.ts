import { transferVenue } from './poolsByTransfers.ts'
import { createSolanaVenueSet, type SolanaVenueSet } from './venueSet.ts'
import { knownSolanaVenues, solanaVenues } from './venues.ts'

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
