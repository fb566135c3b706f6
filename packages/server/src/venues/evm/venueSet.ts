import type { LogDecoder } from './decoding/blockScope.ts'
import { VenuesAlikeError } from './errors.ts'
import type { EvmVenue } from './venue.ts'

/** One reading of an event, and whose it may be. */
export type Route = {
  decode: LogDecoder
  /** The same array for the same venues, so that events are compared by it at no cost. */
  venues: readonly string[]
  isManaged: boolean
}

/** The venues that a program knows, by what they are looked up by. */
export type VenueSet = {
  names: readonly string[]
  find(name: string): EvmVenue | undefined
  /** By topic0; undefined: no venue has such an event. */
  routes: ReadonlyMap<string, readonly Route[]>
  /** By the contract that wrote it: readings of logs without a topic. */
  plainRoutes: ReadonlyMap<string, Route>
}

/** Throws where two venues share an event and nothing tells their pools apart. */
export function createVenueSet(venues: readonly EvmVenue[]): VenueSet {
  const byName = new Map(venues.map((venue) => [venue.name, venue]))
  const routes = new Map<string, Route[]>()
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
      // The manager's address tells whose event it is, so that one of a managed venue is never another's.
      const shared = isManaged
        ? undefined
        : known.find((route) => route.decode === decode && !route.isManaged)
      if (shared) shared.venues = intern([...shared.venues, venue.name])
      else known.push({ decode, venues: intern([venue.name]), isManaged })
    }
  }
  checkApart(venues)
  const plainRoutes = new Map<string, Route>(
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
      // Managers are told apart by their addresses in the config.
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
