import type { Catalog } from '../search/catalog.ts'
import type { BigWords } from '../tables/bigWords.ts'
import { doubleOfTwoLimbs } from '../tables/exactSums.ts'
import { dayColumn, pairColumn, pairPart } from '../tables/pairTable.ts'
import { columnNames, RowTable } from '../tables/rowTable.ts'
import type { UndoLog } from '../tables/undoLog.ts'
import type { ActivePairs } from '../windows/activePairs.ts'
import { sumOffset } from '../windows/windows.ts'

// Local alias: V8 inlines fields of a local constant, but not of an imported one.
const P = pairColumn

// Three limbs of 52 bits hold every reserve of an honest pool. An unusual token's balance may need
// all 256 bits; its upper limbs are in a separate row.
const limbBits = 52n
const lowLimbs = 3
export const reserveLimbBase = 2 ** Number(limbBits)
const highLimbs = 2
const wideFrom = 1n << (limbBits * BigInt(lowLimbs))

/** Amounts of a pair that are stored exactly, with the place of their upper limbs in a wide row. */
export const reserveKind = {
  reserve0: { column: P.reserve0Limbs, part: pairPart.market, wideAt: 0 },
  reserve1: { column: P.reserve1Limbs, part: pairPart.market, wideAt: highLimbs },
  initReserve0: { column: P.initReserve0Limbs, part: pairPart.facts, wideAt: 2 * highLimbs },
  initReserve1: { column: P.initReserve1Limbs, part: pairPart.facts, wideAt: 3 * highLimbs },
} as const

const wideColumns = columnNames(
  Object.fromEntries(Object.entries(reserveKind).map(([name, { wideAt }]) => [name, wideAt])),
  Object.fromEntries(Object.keys(reserveKind).map((name) => [name, highLimbs])),
)

type ReserveKind = (typeof reserveKind)[keyof typeof reserveKind]

/** Exact reserves of all pairs, stored as limbs in the pairs' rows. */
export class Reserves {
  readonly wide: RowTable
  readonly #pairs: RowTable

  constructor(undo: UndoLog, pairs: RowTable) {
    this.#pairs = pairs
    this.wide = new RowTable(undo, { name: 'wideReserves', columns: wideColumns, isPaged: true })
  }

  /**
   * Stores an amount; `words` must hold the same amount. The part of the pair's row must be saved
   * already.
   */
  set(pairRow: number, kind: ReserveKind, amount: bigint, words: BigWords): void {
    const page = this.#pairs.page(pairRow)
    const at = this.#pairs.at(pairRow)
    if (words.isWide) {
      for (let limb = 0; limb < lowLimbs; limb += 1)
        page[at + kind.column + limb] = limbOf(amount, limb)
    } else words.writeLimbs52(page, at + kind.column)
    if (words.isWide && amount >= wideFrom) this.#setWide(pairRow, kind, amount)
    else if (page[at + P.wideRow] !== 0) this.#setWide(pairRow, kind, 0n)
  }

  get(pairRow: number, kind: ReserveKind): bigint {
    const page = this.#pairs.page(pairRow)
    const at = this.#pairs.at(pairRow)
    let amount = 0n
    const wideRow = page[at + P.wideRow]!
    if (wideRow !== 0) {
      const wide = this.wide.page(wideRow)
      const from = this.wide.at(wideRow) + kind.wideAt
      for (let limb = highLimbs - 1; limb >= 0; limb -= 1)
        amount = (amount << limbBits) | BigInt(wide[from + limb]!)
    }
    for (let limb = lowLimbs - 1; limb >= 0; limb -= 1)
      amount = (amount << limbBits) | BigInt(page[at + kind.column + limb]!)
    return amount
  }

  #setWide(pairRow: number, kind: ReserveKind, amount: bigint): void {
    const page = this.#pairs.page(pairRow)
    const at = this.#pairs.at(pairRow)
    let row = page[at + P.wideRow]!
    if (row === 0) {
      row = this.wide.alloc()
      this.#pairs.save(pairRow, pairPart.facts)
      page[at + P.wideRow] = row
    }
    this.wide.save(row)
    const wide = this.wide.page(row)
    const to = this.wide.at(row) + kind.wideAt
    for (let limb = 0; limb < highLimbs; limb += 1)
      wide[to + limb] = limbOf(amount, lowLimbs + limb)
  }
}

function limbOf(amount: bigint, limb: number): number {
  return Number(BigInt.asUintN(Number(limbBits), amount >> (limbBits * BigInt(limb))))
}

/**
 * False if a pool was discovered after its creation and neither an event nor a node has reported
 * its reserves: its 0 is unknown. A pool whose creation was seen starts with 0.
 */
export function areReservesKnown(
  { catalog }: { catalog: Pick<Catalog, 'isLate'> },
  pair: Float64Array,
  at: number,
  pairId: number,
): boolean {
  return pair[at + P.isInitialised] !== 0 || !catalog.isLate(pairId)
}

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
