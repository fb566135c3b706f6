import { grown } from '../../lib/grown.ts'
import { quoteSideColumn, quoteSideColumns, quoteSidePartWidths } from '../tables/pairTable.ts'
import { RowTable } from '../tables/rowTable.ts'
import type { UndoLog } from '../tables/undoLog.ts'

// A binding of its own: a field of an imported constant is read at each use, that of a local one is part of the code.
const tokenColumn = quoteSideColumn.token

/** A row for every token that was the quote side of a trade on a trusted pair. Rows are never freed. */
export class QuoteSides {
  readonly rows: RowTable
  /** By token id; what a revert has left behind names a row that is another token's or none. */
  private rowOfToken = new Int32Array(1 << 10)

  constructor(undo: UndoLog) {
    this.rows = new RowTable(undo, {
      name: 'quoteSides',
      columns: quoteSideColumns,
      parts: quoteSidePartWidths,
    })
  }

  /** 0: it never was. */
  find(tokenId: number): number {
    const { rows } = this
    const row = this.rowOfToken[tokenId] ?? 0
    const isOwn =
      row !== 0 && row < rows.count && rows.page(row)[rows.at(row) + tokenColumn] === tokenId + 1
    return isOwn ? row : 0
  }

  add(tokenId: number): number {
    const row = this.rows.alloc()
    this.rows.page(row)[this.rows.at(row) + tokenColumn] = tokenId + 1
    this.setRow(tokenId, row)
    return row
  }

  /** After the rows have come from a snapshot. */
  index(): void {
    for (let row = 1; row < this.rows.count; row += 1)
      this.setRow(this.rows.page(row)[this.rows.at(row) + tokenColumn]! - 1, row)
  }

  private setRow(tokenId: number, row: number): void {
    if (tokenId >= this.rowOfToken.length) this.rowOfToken = grown(this.rowOfToken, tokenId + 1)
    this.rowOfToken[tokenId] = row
  }
}
