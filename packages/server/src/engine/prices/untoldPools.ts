import { doubleOf2 } from '../tables/exactSums.ts'
import { dayColumn, pairColumn } from '../tables/pairTable.ts'
import type { ActivePairs } from '../windows/activePairs.ts'
import { sumOffset } from '../windows/windows.ts'

// A binding of its own: a field of an imported constant is read at each use, that of a local one is part of the code.
const P = pairColumn
const organicAt = dayColumn.sums + sumOffset.organic

/** What a pool traded weighs so much as a reserve: it ranks those without one, and any that is told outweighs it. */
const tradedShare = 1e-9
/** So much was traded at least, though no rate could value it yet. */
const tradedUsdMin = 1e-8

/**
 * The pool trades and nobody has told so far what it holds, as nodes without old state cannot. Its trades are exact all
 * the same. One that was known once and is empty now is none of them.
 */
export function isUntold(pair: Float64Array, at: number): boolean {
  return pair[at + P.isInitialised] === 0 && pair[at + P.firstTradeAtS] !== 0
}

/** In USD, over a day. Round trips of a wallet cost it next to nothing and do not count. */
export function tradedUsd(active: ActivePairs, pair: Float64Array, at: number): number {
  const row = pair[at + P.activeRow]!
  return doubleOf2(active.page(row), active.at(row) + organicAt) / 1e8
}

/** In place of a reserve, for the choice between pairs; 0 for a pool of which all is told. */
export function untoldDepthUsd(active: ActivePairs, pair: Float64Array, at: number): number {
  return isUntold(pair, at) ? Math.max(tradedUsd(active, pair, at), tradedUsdMin) * tradedShare : 0
}
