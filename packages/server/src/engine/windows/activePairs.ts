import { dayColumn, dayNames } from '../tables/pairTable.ts'
import { RowTable } from '../tables/rowTable.ts'
import type { UndoLog } from '../tables/undoLog.ts'

const ownNames = ['pair', 'unused'] as const
/** From where a row begins to where it would begin if it had the layout of a quote side. */
const shift = ownNames.length - dayColumn.sums

/**
 * The pairs that traded in a day, without gaps, from row 1: which pair it is, and what is known of its day. Pairs that did not
 * trade have row 0, in which nothing is counted.
 */
export class ActivePairs {
  readonly rows: RowTable

  constructor(undo: UndoLog) {
    this.rows = new RowTable(undo, { name: 'activePairs', columns: [...ownNames, ...dayNames] })
  }

  /** How many there are. */
  get count(): number {
    return this.rows.count - 1
  }

  pairOf(row: number): number {
    return this.rows.page(row)[this.rows.at(row)]!
  }

  page(row: number): Float64Array {
    return this.rows.page(row)
  }

  /** What the columns of `dayColumn` are counted from. */
  at(row: number): number {
    return this.rows.at(row) + shift
  }

  save(row: number): void {
    if (row !== 0) this.rows.save(row)
  }

  add(pairRow: number): number {
    const row = this.rows.alloc()
    this.rows.page(row)[this.rows.at(row)] = pairRow
    return row
  }

  /** The last one takes the place of the one that leaves; gives its pair, 0: it was the last. */
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
