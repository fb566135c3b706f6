import { dayColumn, dayColumnNames } from '../tables/pairTable.ts'
import { RowTable } from '../tables/rowTable.ts'
import type { UndoLog } from '../tables/undoLog.ts'

const ownNames = ['pair', 'unused'] as const
/** Offset between a row of this table and the layout of a quote side. */
const layoutOffset = ownNames.length - dayColumn.sums

/**
 * Pairs that traded within a day, in rows from 1 without gaps: the pair, and its rolling 24 h data.
 * Pairs that did not trade refer to row 0, which counts nothing.
 */
export class ActivePairs {
  readonly rows: RowTable

  constructor(undo: UndoLog) {
    this.rows = new RowTable(undo, {
      name: 'activePairs',
      columns: [...ownNames, ...dayColumnNames],
    })
  }

  /** Number of pairs that traded within a day. */
  get count(): number {
    return this.rows.count - 1
  }

  pairOf(row: number): number {
    return this.rows.page(row)[this.rows.at(row)]!
  }

  page(row: number): Float64Array {
    return this.rows.page(row)
  }

  /** Position from which the columns of `dayColumn` are counted. */
  at(row: number): number {
    return this.rows.at(row) + layoutOffset
  }

  save(row: number): void {
    if (row !== 0) this.rows.save(row)
  }

  add(pairRow: number): number {
    const row = this.rows.alloc()
    this.rows.page(row)[this.rows.at(row)] = pairRow
    return row
  }

  /**
   * Removes a row by moving the last row into its place. Returns the pair that moved; 0 if the last
   * row was removed.
   */
  remove(row: number): number {
    const { rows } = this
    rows.saveHeader()
    const last = rows.count - 1
    rows.page(0)[0] = last
    rows.save(last)
    const page = rows.page(last)
    const from = rows.at(last)
    const moved = row === last ? 0 : page[from]!
    if (row !== last) {
      rows.save(row)
      const to = rows.at(row)
      for (let column = 0; column < rows.width; column += 1)
        rows.page(row)[to + column] = page[from + column]!
    }
    page.fill(0, from, from + rows.width)
    return moved
  }
}
