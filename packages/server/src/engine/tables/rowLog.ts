import { gcNeutralDoubles } from '../../lib/gcNeutralBuffer.ts'
import { assertUniqueNames } from './rowTable.ts'
import type { Undoable, UndoableLog, UndoLog } from './undoLog.ts'

const pageDoubles = 1 << 14
// Number of freed pages that are kept, enough for a busy minute after a quiet one.
const sparePagesMax = 4

/** Name and columns of a log of rows; a snapshot stores both with the rows. */
type LogLayout = {
  name: string
  /** Names of the columns, in order. */
  columns: readonly string[]
  /** Values of columns that an older snapshot lacks. @default 0 */
  defaults?: Readonly<Record<string, number>>
}

/**
 * Queue of rows that are appended at the tail and removed at the head. Rows are numbered from 1;
 * numbers are never reused. Adding or removing a row changes no other row and saves nothing: a
 * revert only moves head and tail back, and removed rows stay in memory until no revert can restore
 * them.
 */
export class RowLog implements Undoable, UndoableLog {
  readonly name: string
  readonly columns: readonly string[]
  readonly defaults: Readonly<Record<string, number>>
  readonly width: number
  readonly pageRows: number
  /** Number of the oldest row. */
  head = 1
  /** Number of the next row to be appended. */
  tail = 1
  readonly #mask: number
  readonly #inverse: number
  readonly #undo: UndoLog
  readonly #code: number
  #pages: Float64Array[] = []
  #sparePages: Float64Array[] = []
  /** Number of the first page in memory; rows on earlier pages are gone for good. */
  #firstPage = 0
  /**
   * Rows from this number on were added by the block being applied, so a revert needs no copy of
   * them.
   */
  #blockTail = 1

  constructor(undo: UndoLog, { name, columns, defaults = {} }: LogLayout) {
    const { length: width } = columns
    assertUniqueNames(name, columns)
    this.name = name
    this.columns = columns
    this.defaults = defaults
    this.#undo = undo
    this.#code = undo.addTable(this)
    undo.addLog(this)
    this.width = width
    this.pageRows = 1 << (31 - Math.clz32(Math.floor(pageDoubles / width)))
    this.#mask = this.pageRows - 1
    this.#inverse = 1 / this.pageRows
  }

  page(row: number): Float64Array {
    return this.#pages[this.#pageOf(row) - this.#firstPage]!
  }

  /** Row numbers exceed 31 bits, page numbers do not. */
  #pageOf(row: number): number {
    return (row * this.#inverse) | 0
  }

  at(row: number): number {
    return (row & this.#mask) * this.width
  }

  /** Appends a row of zeros and returns its number. */
  append(): number {
    const row = this.tail
    this.tail = row + 1
    const index = this.#pageOf(row) - this.#firstPage
    if (index >= this.#pages.length) this.#grow()
    const page = this.page(row)
    const at = this.at(row)
    for (let column = at; column < at + this.width; column += 1) page[column] = 0
    return row
  }

  /**
   * Must be called before a block first writes to a row of an earlier block. Calling it again only
   * wastes memory.
   */
  save(row: number): void {
    if (this.#undo.epoch === 0 || row >= this.#blockTail) return
    this.#undo.save(this.page(row), this.at(row), this.width, row, this.#code)
  }

  startBlock(): void {
    this.#blockTail = this.tail
  }

  trim(row: number): void {
    const gone = Math.min(this.#pageOf(row) - this.#firstPage, this.#pages.length)
    if (gone <= 0) return
    for (const page of this.#pages.splice(0, gone))
      if (this.#sparePages.length < sparePagesMax) this.#sparePages.push(page)
    this.#firstPage += gone
  }

  /** Prepares an empty log whose rows from `head` to `tail` will be filled next. */
  reset(head: number, tail: number): void {
    this.head = head
    this.tail = tail
    this.#pages = []
    this.#firstPage = this.#pageOf(head)
    while (this.#pageOf(tail) - this.#firstPage >= this.#pages.length) this.#grow()
  }

  restore(row: number, _part: number, data: Float64Array, end: number): number {
    const page = this.page(row)
    const to = this.at(row)
    const at = end - this.width
    for (let column = 0; column < this.width; column += 1) page[to + column] = data[at + column]!
    return at
  }

  #grow(): void {
    // Without undo records nothing else reports which rows can never be restored, so pages are
    // freed here.
    if (this.#undo.epoch === 0) this.trim(this.head)
    this.#pages.push(this.#sparePages.pop() ?? gcNeutralDoubles(this.pageRows * this.width))
  }
}
