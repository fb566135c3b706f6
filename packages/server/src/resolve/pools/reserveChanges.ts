import type { DecodedBlock } from '../../model/decodedBlock.ts'
import type { PairRecord } from '../../model/pair.ts'
import type { ResolvedEvent, ResolvedReserveChange } from '../../model/resolvedBlock.ts'
import type { BlockPlan } from '../blockPlan.ts'
import type { ConcentratedPools } from './concentratedPools.ts'

/** Who holds more or less of a token by the block and may be a concentrated pool. */
export function findPoolHolders(
  block: DecodedBlock,
  { pools, made }: BlockPlan,
  concentrated: ConcentratedPools,
): Set<string> {
  const holders = new Set<string>()
  const look = (wallet: string) => {
    if (pools.has(wallet) || made.has(wallet) || concentrated.mayHave(wallet)) holders.add(wallet)
  }
  for (const event of block.events) {
    if (event.type === 'balance') look(event.owner)
    if (event.type !== 'transfer') continue
    look(event.from)
    look(event.to)
  }
  return holders
}

/** Puts a shift after every event that is the last to change what a pool has, and is not of the pair itself. */
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

/** Pairs whose reserves an event changes beside those of its own pair. */
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

/** Puts a shift of each of these pools before all events: their first state is news that no event of the block tells. */
export function putQuietPools(
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
