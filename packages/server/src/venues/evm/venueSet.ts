import { AppError } from '../../lib/errors.ts'
import type { LogDecoder } from './decoding/blockScope.ts'
import type { EvmVenue } from './venue.ts'

/** A decoder of an event, and the venues it may belong to. */
export type EventRoute = {
  decode: LogDecoder
  /** The same array for the same venues, so that events can compare it by identity. */
  venues: readonly string[]
  isManaged: boolean
}

/** The known venues, with their lookup tables. */
export type VenueSet = {
  names: readonly string[]
  find(name: string): EvmVenue | undefined
  /** Indexed by topic0; undefined if no venue has such an event. */
  routes: ReadonlyMap<string, readonly EventRoute[]>
  /** Indexed by emitting contract: decoders of logs without a topic. */
  plainRoutes: ReadonlyMap<string, EventRoute>
}

/** Throws if two venues share an event and their pools cannot be told apart. */
export function createVenueSet(venues: readonly EvmVenue[]): VenueSet {
  const byName = new Map(venues.map((venue) => [venue.name, venue]))
  const routes = new Map<string, EventRoute[]>()
  const lists = new Map<string, readonly string[]>()
  const intern = (names: readonly string[]) => {
    const key = names.join(' ')
    const list = lists.get(key) ?? names
    lists.set(key, list)
    return list
  }
  for (const venue of venues) {
    const isManaged = venue.isManaged === true
    for (const [topic0, decode] of Object.entries(venue.events)) {
      const known = routes.get(topic0) ?? []
      routes.set(topic0, known)
      // A managed venue's events are identified by the manager's address and never belong to
      // another venue.
      const shared = isManaged
        ? undefined
        : known.find((route) => route.decode === decode && !route.isManaged)
      if (shared) shared.venues = intern([...shared.venues, venue.name])
      else known.push({ decode, venues: intern([venue.name]), isManaged })
    }
  }
  checkApart(venues)
  const plainRoutes = new Map<string, EventRoute>(
    venues.flatMap(({ name, plainLogs = {}, isManaged = false }) =>
      Object.entries(plainLogs).map(([contract, decode]) => [
        contract,
        { decode, venues: intern([name]), isManaged },
      ]),
    ),
  )
  return { names: [...byName.keys()], find: (name) => byName.get(name), routes, plainRoutes }
}

function checkApart(venues: readonly EvmVenue[]): void {
  for (const [i, one] of venues.entries())
    for (const other of venues.slice(i + 1)) {
      if (one.name === other.name)
        throw new VenuesAlikeError({ one: one.name, other: other.name, why: 'have one name' })
      // The config tells managers apart by their addresses.
      if (one.isManaged || other.isManaged) continue
      const topic0 = Object.keys(one.events).find((topic) => Object.hasOwn(other.events, topic))
      if (topic0 === undefined || marksOf(one) !== marksOf(other)) continue
      const why = `share the event ${topic0} and are asked the same: ${marksOf(one) || 'nothing'}`
      throw new VenuesAlikeError({ one: one.name, other: other.name, why })
    }
}

function marksOf({ identity }: EvmVenue): string {
  return (identity?.marks ?? []).toSorted().join(', ')
}

/**
 * Two venues share an event and their pools cannot be told apart, so trades of one would be read as
 * the other's.
 */
class VenuesAlikeError extends AppError {
  constructor({ one, other, why }: { one: string; other: string; why: string }) {
    super('VENUES_ALIKE', `The venues ${one} and ${other} ${why}.`, {
      meta: [
        'Give one of them a mark: a view function that its pools answer and those of the other do not.',
      ],
    })
  }
}
