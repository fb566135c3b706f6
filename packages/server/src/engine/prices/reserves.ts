import type { Catalog } from '../search/catalog.ts'
import type { BigWords } from '../tables/bigWords.ts'
import { columnNames } from '../tables/columnNames.ts'
import { pairColumn, pairPart } from '../tables/pairTable.ts'
import { RowTable } from '../tables/rowTable.ts'
import type { UndoLog } from '../tables/undoLog.ts'

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
  private readonly pairs: RowTable

  constructor(undo: UndoLog, pairs: RowTable) {
    this.pairs = pairs
    this.wide = new RowTable(undo, { name: 'wideReserves', columns: wideColumns, isPaged: true })
  }

  /**
   * Stores an amount; `words` must hold the same amount. The part of the pair's row must be saved
   * already.
   */
  set(pairRow: number, kind: ReserveKind, amount: bigint, words: BigWords): void {
    const page = this.pairs.page(pairRow)
    const at = this.pairs.at(pairRow)
    if (words.isWide) {
      for (let limb = 0; limb < lowLimbs; limb += 1)
        page[at + kind.column + limb] = limbOf(amount, limb)
    } else words.writeLimbs52(page, at + kind.column)
    if (words.isWide && amount >= wideFrom) this.setWide(pairRow, kind, amount)
    else if (page[at + P.wideRow] !== 0) this.setWide(pairRow, kind, 0n)
  }

  get(pairRow: number, kind: ReserveKind): bigint {
    const page = this.pairs.page(pairRow)
    const at = this.pairs.at(pairRow)
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

  private setWide(pairRow: number, kind: ReserveKind, amount: bigint): void {
    const page = this.pairs.page(pairRow)
    const at = this.pairs.at(pairRow)
    let row = page[at + P.wideRow]!
    if (row === 0) {
      row = this.wide.alloc()
      this.pairs.save(pairRow, pairPart.facts)
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
