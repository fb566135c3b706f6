import assert from 'node:assert'
import { Pages } from '../pages/pages.ts'
import { type Undoable, type UndoLog, undoPartsMax } from './undoLog.ts'

/** A column of several doubles: their number, or the name of each. */
type ColumnSpan = number | readonly string[]

/**
 * Names of a row's doubles, in order; a snapshot finds columns by name, even after their order
 * changed. `layout` maps each column to its offset, and `spans` lists the columns of more than one
 * double. Every double must have a name.
 */
export function columnNames(
  layout: Readonly<Record<string, number>>,
  spans: Readonly<Record<string, ColumnSpan>> = {},
): readonly string[] {
  const names: string[] = []
  for (const [name, at] of Object.entries(layout).sort(([, a], [, b]) => a - b)) {
    assert.equal(at, names.length, `column ${name} begins where the one before it ends`)
    const span = spans[name]
    if (span === undefined) names.push(name)
    else names.push(...spanNames(span).map((part) => `${name}.${part}`))
  }
  return names
}

function spanNames(span: ColumnSpan): readonly (string | number)[] {
  return typeof span === 'number' ? Array.from({ length: span }, (_, index) => index) : span
}

/** Fails unless a table and all of its columns have names, all of them different. */
export function assertUniqueNames(owner: string, names: readonly string[]): void {
  assert(owner !== '' && !names.includes(''), 'a table and its columns have names')
  assert.equal(new Set(names).size, names.length, `no two columns of ${owner} have the same name`)
}

// Page size of 128 KB in doubles: a growing table copies nothing, and a small one wastes little.
const smallPageDoubles = 1 << 14
/**
 * Page size of about 4 MB in doubles, for tables with a row per pair or token: few enough pages for
 * the CPU cache, each large enough for malloc to ask for huge pages. Unused pages take no memory.
 */
export const largePageDoubles = 1 << 19
// Page size of 4 KB in doubles for tables that can be paged to disk: small, so that few unneeded
// rows stay in memory beside a needed one.
const pagedPageDoubles = 1 << 9
const doubleBytes = 8
const newRowPart = undoPartsMax

/** Name and columns of a table; a snapshot stores both with the rows. */
type TableLayout = {
  name: string
  /** Names of the columns, in order. */
  columns: readonly string[]
  /** Number of columns of each separately saved part, in order. @default one part */
  parts?: readonly number[]
  /** Names of the header's columns after the row count and the first free row. @default none */
  header?: readonly string[]
  /** Values of columns that an older snapshot lacks. @default 0 */
  defaults?: Readonly<Record<string, number>>
  /** Size of a page before pages are divided. @default about 128 KB */
  pageDoubles?: number
  /** True if pages are divided and moved to a file when memory is short. @default false */
  isPaged?: boolean
}

/** First columns of every table's header. */
const headerStart = ['count', 'free'] as const

/**
 * Table of rows of doubles, in pages. Row 0 is the header: column 0 is the number of rows in use,
 * column 1 the first free row. A row may have parts that change at different times. A block calls
 * `save` before its first write to a part and `saveHeader` before its first write to the header.
 * Saving twice only wastes memory, so a caller that knows a part is saved skips it. Free and unused
 * rows are zero, except for the link to the next free row in column 0.
 */
export class RowTable implements Undoable {
  readonly name: string
  readonly columns: readonly string[]
  readonly header: readonly string[]
  readonly defaults: Readonly<Record<string, number>>
  readonly isPaged: boolean
  readonly width: number
  /** Shift that maps a row number to its page number. */
  shift = 0
  /** Mask that maps a row number to its position in its page. */
  mask = 0
  readonly pages: Pages<Float64Array>
  readonly #undo: UndoLog
  readonly #code: number
  /** First column of each part, then the width of a row. */
  readonly #starts: readonly number[]
  /** Pages in memory, indexed by number: most reads only need this array. */
  readonly #residentPages: readonly (Float64Array | undefined)[]
  /** Page of the header, row 0. */
  readonly #headerPage: Float64Array
  #headerEpoch = 0

  constructor(undo: UndoLog, layout: TableLayout) {
    const { name, columns, header = [], defaults = {}, isPaged = false } = layout
    const { parts = [columns.length], pageDoubles = smallPageDoubles } = layout
    this.name = name
    this.columns = columns
    this.header = [...headerStart, ...header]
    this.defaults = defaults
    this.isPaged = isPaged
    assertUniqueNames(name, columns)
    assertUniqueNames(`the header of ${name}`, this.header)
    assert(
      parts.length <= undoPartsMax && parts[0]! >= this.header.length,
      'the header is in the first',
    )
    const starts = [0]
    for (const partWidth of parts) starts.push(starts.at(-1)! + partWidth)
    assert.equal(starts.at(-1), columns.length, `every column of ${name} is in a part`)
    this.#starts = starts
    this.#undo = undo
    this.#code = undo.addTable(this)
    this.width = starts.at(-1)!
    const shift = powerOfTwoAtMost((isPaged ? pagedPageDoubles : pageDoubles) / this.width)
    const largeShift = isPaged ? powerOfTwoAtMost(pageDoubles / this.width) : shift
    const bytesOf = (rowsShift: number) => (this.width << rowsShift) * doubleBytes
    this.pages = new Pages({
      pageBytes: bytesOf(shift),
      largePageBytes: bytesOf(largeShift),
      viewOf: (buffer, at, length) => new Float64Array(buffer, at, length / doubleBytes),
    })
    this.#setShift(largeShift)
    this.pages.onDivide = () => {
      this.#setShift(shift)
      return ((this.count - 1) >>> shift) + 1
    }
    this.#residentPages = this.pages.resident
    this.ensure(0)
    this.#headerPage = this.pages.page(0)
    this.#headerPage[0] = 1
  }

  /** Number of rows in use, including the header and free rows. */
  get count(): number {
    return this.#headerPage[0]!
  }

  page(row: number): Float64Array {
    return this.#residentPages[row >>> this.shift] ?? this.pages.load(row >>> this.shift)
  }

  at(row: number): number {
    return (row & this.mask) * this.width
  }

  save(row: number, part = 0): void {
    if (this.#undo.epoch === 0) return
    const from = this.#starts[part]!
    const count = this.#starts[part + 1]! - from
    this.#undo.save(this.page(row), this.at(row) + from, count, row, this.#code + part)
  }

  saveHeader(): void {
    const { epoch } = this.#undo
    if (this.#headerEpoch === epoch) return
    this.#headerEpoch = epoch
    this.save(0)
  }

  /** Returns a row of zeros, reusing a freed row if possible. All of its parts count as saved. */
  alloc(): number {
    this.saveHeader()
    const header = this.#headerPage
    let row = header[1]!
    if (row === 0) {
      row = header[0]!
      header[0] = row + 1
      this.ensure(row)
      this.#saveNewRow(row)
      return row
    }
    const page = this.page(row)
    const at = this.at(row)
    header[1] = page[at]!
    this.#saveNewRow(row)
    page[at] = 0
    return row
  }

  /**
   * Allocates `count` adjacent rows of zeros, which are never freed one by one. A table allocates
   * either runs or single rows, not both.
   */
  allocRun(count: number): number {
    this.saveHeader()
    const header = this.#headerPage
    const first = header[0]!
    header[0] = first + count
    this.ensure(first + count - 1)
    // Rows of a run are zeroed here instead of by a revert, so no copy is saved for a revert.
    for (let row = first; row < first + count; row += 1) {
      const page = this.page(row)
      const at = this.at(row)
      for (let index = at; index < at + this.width; index += 1) page[index] = 0
    }
    return first
  }

  free(row: number): void {
    this.saveHeader()
    for (let part = 0; part < this.#starts.length - 1; part += 1) this.save(row, part)
    const header = this.#headerPage
    const page = this.page(row)
    const at = this.at(row)
    // A loop instead of `fill`: the call would cost more than clearing these few doubles.
    for (let index = at; index < at + this.width; index += 1) page[index] = 0
    page[at] = header[1]!
    header[1] = row
  }

  #setShift(shift: number): void {
    this.shift = shift
    this.mask = (1 << shift) - 1
  }

  ensure(row: number): void {
    const { pages } = this
    while (pages.count <= row >>> this.shift) pages.push()
  }

  restore(row: number, part: number, data: Float64Array, end: number): number {
    const page = this.page(row)
    if (part === newRowPart) {
      const to = this.at(row)
      page.fill(0, to, to + this.width)
      page[to] = data[end - 1]!
      return end - 1
    }
    const from = this.#starts[part]!
    const count = this.#starts[part + 1]! - from
    const to = this.at(row) + from
    const at = end - count
    for (let index = 0; index < count; index += 1) page[to + index] = data[at + index]!
    return at
  }

  /** Saves the first column of a newly allocated row: before that, the row has only its link. */
  #saveNewRow(row: number): void {
    if (this.#undo.epoch === 0) return
    this.#undo.save(this.page(row), this.at(row), 1, row, this.#code + newRowPart)
  }
}

/** Exponent of the largest power of two that is at most `room`. */
function powerOfTwoAtMost(room: number): number {
  return Math.max(0, 31 - Math.clz32(Math.floor(room)))
}
