import assert from 'node:assert'
import { PageFrames } from '../pages/pageFrames.ts'
import { assertNamed } from './columnNames.ts'
import { type Undoable, type UndoLog, undoPartsMax } from './undoLog.ts'

// Pages of about 128 KB: no copy when a table grows, and little slack when it is small.
const smallPageDoubles = 1 << 14
/**
 * About 4 MB, for tables with a row per pair or token: few enough to be found in the cache, and each of them
 * large enough for malloc to ask for huge pages. What is not in use yet takes no memory.
 */
export const largePageDoubles = 1 << 19
// Small enough that a page has few rows which nobody wants beside one that somebody does.
const pagedDoubles = 1 << 9
const doubleBytes = 8
const givenOut = undoPartsMax

/** What a table is called and holds; a snapshot says it beside the rows. */
type TableLayout = {
  name: string
  /** What the columns are called, in order. */
  columns: readonly string[]
  /** How many columns each part has, in order. @default one part */
  parts?: readonly number[]
  /** What the header holds behind the rows in use and the first free one. @default nothing */
  header?: readonly string[]
  /** Of columns that a snapshot does not have yet. @default 0 */
  defaults?: Readonly<Record<string, number>>
  /** Size of an undivided page. @default about 128 KB */
  pageDoubles?: number
  /** Pages are divided, and those that nobody needs go to a file, when memory is short. @default false */
  isPaged?: boolean
}

/** What every header begins with. */
const headerStart = ['count', 'free'] as const

/**
 * Rows of doubles in pages. Row 0 is the header: column 0 holds how many rows are in use, column 1
 * the first free row. A row may have parts that change at different times. Call `save` before a
 * block's first write to a part, `saveHeader` before one to the header: saving again is only a waste,
 * so whoever knows that a part has been saved in this block leaves it out. Rows that are free or not
 * yet in use are zero, but for the link in column 0.
 */
export class RowTable implements Undoable {
  readonly name: string
  readonly columns: readonly string[]
  readonly header: readonly string[]
  readonly defaults: Readonly<Record<string, number>>
  readonly isPaged: boolean
  readonly width: number
  /** Takes a row to its page. */
  shift = 0
  /** Takes a row to its place in its page. */
  mask = 0
  readonly pages: PageFrames<Float64Array>
  private readonly undo: UndoLog
  private readonly code: number
  /** Where parts begin, and the width as the last one. */
  private readonly starts: readonly number[]
  /** Those of its pages that are in memory: a look here is all that most rows take. */
  private readonly resident: readonly (Float64Array | undefined)[]
  /** Where row 0 is. */
  private readonly headerPage: Float64Array
  private headerEpoch = 0

  constructor(undo: UndoLog, layout: TableLayout) {
    const { name, columns, header = [], defaults = {}, isPaged = false } = layout
    const { parts = [columns.length], pageDoubles = smallPageDoubles } = layout
    this.name = name
    this.columns = columns
    this.header = [...headerStart, ...header]
    this.defaults = defaults
    this.isPaged = isPaged
    assertNamed(name, columns)
    assertNamed(`the header of ${name}`, this.header)
    assert(
      parts.length <= undoPartsMax && parts[0]! >= this.header.length,
      'the header is in the first',
    )
    const starts = [0]
    for (const partWidth of parts) starts.push(starts.at(-1)! + partWidth)
    assert.equal(starts.at(-1), columns.length, `every column of ${name} is in a part`)
    this.starts = starts
    this.undo = undo
    this.code = undo.addTable(this)
    this.width = starts.at(-1)!
    const shift = powerIn((isPaged ? pagedDoubles : pageDoubles) / this.width)
    const wholeShift = isPaged ? powerIn(pageDoubles / this.width) : shift
    const bytesOf = (rowsShift: number) => (this.width << rowsShift) * doubleBytes
    this.pages = new PageFrames({
      pageBytes: bytesOf(shift),
      wholeBytes: bytesOf(wholeShift),
      slabBytes: isPaged ? largePageDoubles * doubleBytes : bytesOf(shift),
      viewOf: (slab, at, length) => new Float64Array(slab, at, length / doubleBytes),
    })
    this.setShift(wholeShift)
    this.pages.onDivide = () => {
      this.setShift(shift)
      return ((this.count - 1) >>> shift) + 1
    }
    this.resident = this.pages.pages
    this.ensure(0)
    this.headerPage = this.pages.page(0)
    this.headerPage[0] = 1
  }

  /** Rows in use, the header and free rows included. */
  get count(): number {
    return this.headerPage[0]!
  }

  page(row: number): Float64Array {
    return this.resident[row >>> this.shift] ?? this.pages.load(row >>> this.shift)
  }

  at(row: number): number {
    return (row & this.mask) * this.width
  }

  save(row: number, part = 0): void {
    if (this.undo.epoch === 0) return
    const from = this.starts[part]!
    const count = this.starts[part + 1]! - from
    this.undo.save(this.page(row), this.at(row) + from, count, row, this.code + part)
  }

  saveHeader(): void {
    const { epoch } = this.undo
    if (this.headerEpoch === epoch) return
    this.headerEpoch = epoch
    this.save(0)
  }

  /** A zeroed row, a freed one if there is any. All of it counts as saved. */
  alloc(): number {
    this.saveHeader()
    const header = this.headerPage
    let row = header[1]!
    if (row === 0) {
      row = header[0]!
      header[0] = row + 1
      this.ensure(row)
      this.saveGivenOut(row)
      return row
    }
    const page = this.page(row)
    const at = this.at(row)
    header[1] = page[at]!
    this.saveGivenOut(row)
    page[at] = 0
    return row
  }

  /**
   * `count` zeroed rows beside each other, never freed one by one. A table gives out runs or single
   * rows, not both.
   */
  allocRun(count: number): number {
    this.saveHeader()
    const header = this.headerPage
    const first = header[0]!
    header[0] = first + count
    this.ensure(first + count - 1)
    // They are cleared here and not by a revert, so nothing of them is saved.
    for (let row = first; row < first + count; row += 1) {
      const page = this.page(row)
      const at = this.at(row)
      for (let index = at; index < at + this.width; index += 1) page[index] = 0
    }
    return first
  }

  free(row: number): void {
    this.saveHeader()
    for (let part = 0; part < this.starts.length - 1; part += 1) this.save(row, part)
    const header = this.headerPage
    const page = this.page(row)
    const at = this.at(row)
    // A loop: a call of fill costs more than the few doubles it would clear.
    for (let index = at; index < at + this.width; index += 1) page[index] = 0
    page[at] = header[1]!
    header[1] = row
  }

  private setShift(shift: number): void {
    this.shift = shift
    this.mask = (1 << shift) - 1
  }

  ensure(row: number): void {
    const { pages } = this
    while (pages.count <= row >>> this.shift) pages.push()
  }

  restore(row: number, part: number, data: Float64Array, end: number): number {
    const page = this.page(row)
    if (part === givenOut) {
      const to = this.at(row)
      page.fill(0, to, to + this.width)
      page[to] = data[end - 1]!
      return end - 1
    }
    const from = this.starts[part]!
    const count = this.starts[part + 1]! - from
    const to = this.at(row) + from
    const at = end - count
    for (let index = 0; index < count; index += 1) page[to + index] = data[at + index]!
    return at
  }

  /** All that is in a row before it is given out is its link. */
  private saveGivenOut(row: number): void {
    if (this.undo.epoch === 0) return
    this.undo.save(this.page(row), this.at(row), 1, row, this.code + givenOut)
  }
}

/** The largest power of two that a number has room for, as an exponent. */
function powerIn(room: number): number {
  return Math.max(0, 31 - Math.clz32(Math.floor(room)))
}
