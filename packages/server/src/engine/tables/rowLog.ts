import { uncountedDoubles } from '../../lib/uncountedDoubles.ts'
import { assertNamed } from './columnNames.ts'
import type { Undoable, UndoableLog, UndoLog } from './undoLog.ts'

const pageDoubles = 1 << 14
// What a quiet minute gives back and a busy one takes again.
const sparePagesMax = 4

/** What a log is called and holds; a snapshot says it beside the rows. */
type LogLayout = {
  name: string
  /** What the columns are called, in order. */
  columns: readonly string[]
  /** Of columns that a snapshot does not have yet. @default 0 */
  defaults?: Readonly<Record<string, number>>
}

/**
 * Rows that come at the tail and go at the head, numbered from 1 on and never again. Taking a row in
 * or letting one go changes no other row and saves nothing: a revert only moves the two ends back,
 * and rows that have gone stay in place until no revert can bring them back.
 */
export class RowLog implements Undoable, UndoableLog {
  readonly name: string
  readonly columns: readonly string[]
  readonly defaults: Readonly<Record<string, number>>
  readonly width: number
  readonly pageRows: number
  /** First row that is alive. */
  head = 1
  /** One after the newest. */
  tail = 1
  private readonly mask: number
  private readonly inverse: number
  private readonly undo: UndoLog
  private readonly code: number
  private pages: Float64Array[] = []
  private spare: Float64Array[] = []
  /** Number of the first page held. */
  private firstPage = 0
  /** Rows from here on are of the block being applied. */
  private blockTail = 1

  constructor(undo: UndoLog, { name, columns, defaults = {} }: LogLayout) {
    const { length: width } = columns
    assertNamed(name, columns)
    this.name = name
    this.columns = columns
    this.defaults = defaults
    this.undo = undo
    this.code = undo.addTable(this)
    undo.addLog(this)
    this.width = width
    this.pageRows = 1 << (31 - Math.clz32(Math.floor(pageDoubles / width)))
    this.mask = this.pageRows - 1
    this.inverse = 1 / this.pageRows
  }

  page(row: number): Float64Array {
    return this.pages[this.pageOf(row) - this.firstPage]!
  }

  /** Rows outgrow 31 bits, pages do not. */
  private pageOf(row: number): number {
    return (row * this.inverse) | 0
  }

  at(row: number): number {
    return (row & this.mask) * this.width
  }

  /** A zeroed row at the tail. */
  append(): number {
    const row = this.tail
    this.tail = row + 1
    const index = this.pageOf(row) - this.firstPage
    if (index >= this.pages.length) this.grow()
    const page = this.page(row)
    const at = this.at(row)
    for (let column = at; column < at + this.width; column += 1) page[column] = 0
    return row
  }

  /** Before a block's first write to a row that an earlier block took in; again is only a waste. */
  save(row: number): void {
    if (this.undo.epoch === 0 || row >= this.blockTail) return
    this.undo.save(this.page(row), this.at(row), this.width, row, this.code)
  }

  startBlock(): void {
    this.blockTail = this.tail
  }

  trim(row: number): void {
    const gone = Math.min(this.pageOf(row) - this.firstPage, this.pages.length)
    if (gone <= 0) return
    for (const page of this.pages.splice(0, gone))
      if (this.spare.length < sparePagesMax) this.spare.push(page)
    this.firstPage += gone
  }

  /** For an empty log: rows from `head` up to `tail` are about to be filled. */
  reset(head: number, tail: number): void {
    this.head = head
    this.tail = tail
    this.pages = []
    this.firstPage = this.pageOf(head)
    while (this.pageOf(tail) - this.firstPage >= this.pages.length) this.grow()
  }

  restore(row: number, _part: number, data: Float64Array, end: number): number {
    const page = this.page(row)
    const to = this.at(row)
    const at = end - this.width
    for (let column = 0; column < this.width; column += 1) page[to + column] = data[at + column]!
    return at
  }

  private grow(): void {
    // Without undo nothing else says when rows are gone for good.
    if (this.undo.epoch === 0) this.trim(this.head)
    this.pages.push(this.spare.pop() ?? uncountedDoubles(this.pageRows * this.width))
  }
}
