import type { DecodedPool, DecodedSwap } from '../../model/decodedBlock.ts'
import type { EvmLog } from '../../model/evm/evmBlock.ts'
import type { VenueSet } from '../../venues/evm/venueSet.ts'

/** Whose a pool is that writes swaps as several venues do: other logs tell, where no node can be asked. */
export type PoolVenues = {
  /** A factory of one venue alone made it. */
  learn(pool: DecodedPool): void
  /** Pools that write what those of one venue alone do. */
  note(logs: readonly EvmLog[]): void
  narrow(swap: DecodedSwap): DecodedSwap
}

export function createPoolVenues({ names, find }: VenueSet): PoolVenues {
  const writers = new Map(
    names.flatMap((name) => (find(name)?.ownTopics ?? []).map((topic) => [topic, name] as const)),
  )
  const made = new Map<string, string>()
  const told = new Map<string, string>()
  return {
    learn({ pool, venues = [] }) {
      const [venue, ...others] = venues
      if (venue !== undefined && others.length === 0) made.set(pool, venue)
    },
    note(logs) {
      for (const { address, topics } of logs) {
        const venue = writers.get(topics[0] ?? '')
        if (venue !== undefined) told.set(address, venue)
      }
    },
    narrow(swap) {
      const venue = told.get(swap.pool) ?? made.get(swap.pool)
      const isNew = venue !== undefined && venue !== swap.venues?.[0]
      return isNew && swap.venues?.includes(venue) ? { ...swap, venues: [venue] } : swap
    },
  }
}
