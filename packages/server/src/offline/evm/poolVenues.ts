import type { DecodedPool, DecodedSwap } from '../../model/decodedBlock.ts'
import type { EvmLog } from '../../model/evm/evmBlock.ts'
import type { VenueSet } from '../../venues/evm/venueSet.ts'

/** Tells venues with equal swap events apart by other logs, without a node. */
export type PoolVenues = {
  /** Learns from an event that only one venue's factory emits. */
  learnFromCreation(pool: DecodedPool): void
  /** Learns from events that only one venue's pools emit. */
  learnFromLogs(logs: readonly EvmLog[]): void
  narrow(swap: DecodedSwap): DecodedSwap
}

export function createPoolVenues({ names, find }: VenueSet): PoolVenues {
  const writers = new Map(
    names.flatMap((name) => (find(name)?.ownTopics ?? []).map((topic) => [topic, name] as const)),
  )
  const made = new Map<string, string>()
  const emitted = new Map<string, string>()
  return {
    learnFromCreation({ pool, venues = [] }) {
      const [venue, ...others] = venues
      if (venue !== undefined && others.length === 0) made.set(pool, venue)
    },
    learnFromLogs(logs) {
      for (const { address, topics } of logs) {
        const venue = writers.get(topics[0] ?? '')
        if (venue !== undefined) emitted.set(address, venue)
      }
    },
    narrow(swap) {
      const venue = emitted.get(swap.pool) ?? made.get(swap.pool)
      const isNew = venue !== undefined && venue !== swap.venues?.[0]
      return isNew && swap.venues?.includes(venue) ? { ...swap, venues: [venue] } : swap
    },
  }
}
