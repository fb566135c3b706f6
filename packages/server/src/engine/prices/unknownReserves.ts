import { doubleOfTwoLimbs } from '../tables/exactSums.ts'
import { dayColumn, pairColumn } from '../tables/pairTable.ts'
import type { ActivePairs } from '../windows/activePairs.ts'
import { sumOffset } from '../windows/windows.ts'

// Local alias: V8 inlines a field of a local constant, but not of an imported one.
const P = pairColumn
const organicAt = dayColumn.sums + sumOffset.organic

/**
 * Weight of a USD of trading volume against a USD of reserves: it ranks pools without known
 * reserves, and any known reserve outweighs it.
 */
const volumeWeight = 1e-9
/** Trading volume of a pool whose trades no rate could value yet. */
const volumeUsdMin = 1e-8

/**
 * True if the pool trades but its reserves are unknown, because the node has no old state. Its
 * trades are exact all the same. A pool whose reserves were known once and are empty now is not
 * such a pool.
 */
export function hasUnknownReserves(pair: Float64Array, at: number): boolean {
  return pair[at + P.isInitialised] === 0 && pair[at + P.firstTradeAtS] !== 0
}

/**
 * USD trading volume of a pool within a day, without round trips, which cost a wallet almost
 * nothing.
 */
export function dayVolumeUsd(active: ActivePairs, pair: Float64Array, at: number): number {
  const row = pair[at + P.activeRow]!
  return doubleOfTwoLimbs(active.page(row), active.at(row) + organicAt) / 1e8
}

/** Substitute for a reserve when pairs are compared; 0 if the pool's reserves are known. */
export function unknownReserveDepthUsd(
  active: ActivePairs,
  pair: Float64Array,
  at: number,
): number {
  return hasUnknownReserves(pair, at)
    ? Math.max(dayVolumeUsd(active, pair, at), volumeUsdMin) * volumeWeight
    : 0
}
