import { decodeBase58 } from '../../lib/bytes/base58.ts'
import { KeySet } from '../../lib/bytes/keySet.ts'
import type { PoolKind } from '../../model/pool.ts'
import type { VenueMath } from '../../model/venueMath.ts'
import type { Call } from './decoding/call.ts'
import type { TransactionScope } from './decoding/transactionScope.ts'

/** Decodes one instruction of a program. Returns false if it is not a valid one. */
export type CallDecoder = (call: Call, scope: TransactionScope) => boolean

/** Everything particular to one DEX or launch platform. Pure. */
export type SolanaVenue = VenueMath & {
  /** Name in the config and in stored records; never changes. */
  name: string
  /** Where the reserves of its pools are visible. */
  kind: PoolKind
  /** Ids of its programs: a tag only has a meaning together with its program. */
  programs: readonly string[]
  /**
   * Indexed by the tag that the instruction's data begins with, in hex. All tags of a program have
   * one length.
   */
  instructions: Readonly<Record<string, CallDecoder>>
  /** Decodes instructions with any other tag, for programs that do not publish theirs. */
  otherwise?: CallDecoder
}

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
  /** Indexed by program id. */
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
