import { doubled } from '../../lib/growArray.ts'
import { quoteSideColumn, quoteSideColumns, quoteSidePartWidths } from '../tables/pairTable.ts'
import { RowTable } from '../tables/rowTable.ts'
import type { UndoLog } from '../tables/undoLog.ts'

// Local alias: V8 inlines a field of a local constant, but not of an imported one.
const tokenColumn = quoteSideColumn.token

/**
 * One row for every token that was the quote of a trade on a trusted pair. Rows are never freed.
 */
export class QuoteSides {
  readonly rows: RowTable
  /**
   * Row of each token, by id. An entry may be stale after a revert: its row then belongs to another
   * token or does not exist.
   */
  #rowOfToken = new Int32Array(1 << 10)

  constructor(undo: UndoLog) {
    this.rows = new RowTable(undo, {
      name: 'quoteSides',
      columns: quoteSideColumns,
      parts: quoteSidePartWidths,
    })
  }

  /** Row of a token; 0 if it was never the quote of a trade. */
  find(tokenId: number): number {
    const { rows } = this
    const row = this.#rowOfToken[tokenId] ?? 0
    const isOwn =
      row !== 0 && row < rows.count && rows.page(row)[rows.at(row) + tokenColumn] === tokenId + 1
    return isOwn ? row : 0
  }

  add(tokenId: number): number {
    const row = this.rows.alloc()
    this.rows.page(row)[this.rows.at(row) + tokenColumn] = tokenId + 1
    this.#setRow(tokenId, row)
    return row
  }

  /** Rebuilds the index by token after the rows were read from a snapshot. */
  rebuildIndex(): void {
    for (let row = 1; row < this.rows.count; row += 1)
      this.#setRow(this.rows.page(row)[this.rows.at(row) + tokenColumn]! - 1, row)
  }

  #setRow(tokenId: number, row: number): void {
    if (tokenId >= this.#rowOfToken.length)
      this.#rowOfToken = doubled(this.#rowOfToken, tokenId + 1)
    this.#rowOfToken[tokenId] = row
  }
}
