import { decodeBase58 } from '../../lib/bytes/base58.ts'
import { KeySet } from '../../lib/bytes/keySet.ts'
import type { CallDecoder, SolanaVenue } from './venue.ts'

/** Decoders of one program's instructions. */
export type ProgramRoute = {
  venue: SolanaVenue
  /** The same array for all events of a venue, so that events can compare it by identity. */
  venues: readonly string[]
  tagBytes: number
  decoders: ReadonlyMap<string, CallDecoder>
}

/** The known venues, with their lookup tables. */
export type SolanaVenueSet = {
  names: readonly string[]
  find(name: string): SolanaVenue | undefined
  /** By program id. */
  routes: ReadonlyMap<string, ProgramRoute>
  programBytes: KeySet
}

export function createSolanaVenueSet(venues: readonly SolanaVenue[]): SolanaVenueSet {
  const byName = new Map(venues.map((venue) => [venue.name, venue]))
  const routes = new Map<string, ProgramRoute>()
  for (const venue of venues) {
    const decoders = new Map(Object.entries(venue.instructions))
    const [tag = ''] = decoders.keys()
    const route = { venue, venues: [venue.name], tagBytes: tag.length / 2, decoders }
    for (const program of venue.programs) routes.set(program, route)
  }
  const programBytes = new KeySet(Array.from(routes.keys(), (id) => decodeBase58(id)!))
  return { names: [...byName.keys()], find: (name) => byName.get(name), routes, programBytes }
}
