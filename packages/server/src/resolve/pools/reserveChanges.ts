import type { DecodedBlock } from '../../model/decodedBlock.ts'
import type { PairRecord } from '../../model/pair.ts'
import type { ResolvedEvent, ResolvedReserveChange } from '../../model/resolvedBlock.ts'
import type { BlockPlan } from '../blockPlan.ts'
import type { ConcentratedPools } from './concentratedPools.ts'

/** Returns addresses whose balance the block changes and that may be concentrated pools. */
export function findPossiblePools(
  block: DecodedBlock,
  { pools, created }: BlockPlan,
  concentrated: ConcentratedPools,
): Set<string> {
  const holders = new Set<string>()
  const look = (wallet: string) => {
    if (pools.has(wallet) || created.has(wallet) || concentrated.mayContain(wallet))
      holders.add(wallet)
  }
  for (const event of block.events) {
    if (event.type === 'balance') look(event.owner)
    if (event.type !== 'transfer') continue
    look(event.from)
    look(event.to)
  }
  return holders
}

/**
 * Inserts a `reserve_change` after the last event that changes a pair's reserves, if that event is
 * not an event of the pair itself.
 */
export function addReserveChanges(
  events: ResolvedEvent[],
  holders: ReadonlySet<string>,
  pairsOf: (pool: string) => readonly PairRecord[],
): ResolvedEvent[] {
  const settled = new Set<number>()
  const shifts = new Map<ResolvedEvent, ResolvedReserveChange[]>()
  for (let at = events.length - 1; at >= 0; at--) {
    const event = events[at]!
    if ('pair' in event) settled.add(event.pair.id)
    for (const pair of changedBy(event, holders, pairsOf)) {
      if (settled.has(pair.id)) continue
      settled.add(pair.id)
      const shift: ResolvedReserveChange = { type: 'reserve_change', index: event.index, pair }
      shifts.set(event, [...(shifts.get(event) ?? []), shift])
    }
  }
  if (shifts.size === 0) return events
  return events.flatMap((event) => [event, ...(shifts.get(event) ?? [])])
}

/** Returns pairs whose reserves an event changes, besides the event's own pair. */
function changedBy(
  event: ResolvedEvent,
  holders: ReadonlySet<string>,
  pairsOf: (pool: string) => readonly PairRecord[],
): readonly PairRecord[] {
  if (event.type === 'balance')
    return holders.has(event.owner)
      ? pairsOf(event.owner).filter((pair) => isReserve(event, pair))
      : none
  if (event.type === 'transfer') {
    const isFrom = holders.has(event.from)
    const isTo = holders.has(event.to)
    if (!isFrom && !isTo) return none
    const ends = [...(isFrom ? pairsOf(event.from) : none), ...(isTo ? pairsOf(event.to) : none)]
    return ends.filter((pair) => isReserve(event, pair))
  }
  if (event.type === 'flow') return pairsOf(event.pool)
  return 'pair' in event && event.pair.pool !== null ? pairsOf(event.pair.pool) : none
}

const none: readonly PairRecord[] = []

/**
 * Prepends a `reserve_change` for each pool whose first state is reported by this block although
 * the block has no event of the pool.
 */
export function prependQuietPools(
  events: readonly ResolvedEvent[],
  pools: readonly PairRecord[],
): readonly ResolvedEvent[] {
  if (pools.length === 0) return events
  return [
    ...pools.map((pair): ResolvedReserveChange => ({ type: 'reserve_change', index: 0, pair })),
    ...events,
  ]
}

function isReserve({ tokenId }: { tokenId: number }, pair: PairRecord): boolean {
  if (pair.kind !== 'concentrated') return false
  if (tokenId === pair.token0Id || tokenId === pair.token1Id) return true
  return pair.otherIds.includes(tokenId)
}
