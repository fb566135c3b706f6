import { SnapshotUnreadableError } from '../errors.ts'
import { ByteRunReader } from '../tables/byteParts.ts'
import type { RowLog } from '../tables/rowLog.ts'
import type { RowTable } from '../tables/rowTable.ts'
import type {
  SnapshotLog,
  SnapshotRows,
  SnapshotTable,
  WrittenLog,
  WrittenTable,
} from './snapshotEncoding.ts'

const doubleBytes = 8
/** Doubles that are copied at a time when the columns differ. */
const chunkDoubles = 1 << 14
/** Bytes of rows that are copied at a time. */
const runBytes = 1 << 20

/**
 * Describes a table for a snapshot. Its rows are copied on demand, so the table must not change
 * before all are read.
 */
export function writeTable(table: RowTable): WrittenTable {
  const { columns, header, count } = table
  return { columns, header, count, runs: tableRuns(table) }
}

function* tableRuns({ pages, mask, count, width }: RowTable): Generator<Uint8Array> {
  const { pageBytes } = pages
  const rowsPerPage = mask + 1
  const pagesPerRun = Math.max(1, Math.floor(runBytes / pageBytes))
  const pageCount = Math.ceil(count / rowsPerPage)
  for (let first = 0; first < pageCount; first += pagesPerRun) {
    const end = Math.min(first + pagesPerRun, pageCount)
    const rows = Math.min(end * rowsPerPage, count) - first * rowsPerPage
    const rowBytes = rows * width * doubleBytes
    // A page that may be on disk can only be read as a whole.
    const run = new Uint8Array(pages.isUndivided ? rowBytes : (end - first) * pageBytes)
    for (let page = first; page < end; page += 1)
      pages.copyPage(page, run.subarray((page - first) * pageBytes, (page - first + 1) * pageBytes))
    yield run.subarray(0, rowBytes)
  }
}

/**
 * Describes a log of rows for a snapshot, as views of its current rows; removed rows are not part
 * of the state.
 */
export function writeLog(log: RowLog): WrittenLog {
  const { columns, head, tail } = log
  const runs: Uint8Array[] = []
  forEachPage(log, head, tail, (row, count) =>
    runs.push(bytesOf(log.page(row), log.at(row), count * log.width)),
  )
  return { columns, head, tail, runs }
}

/**
 * Fills a table from a snapshot by column names: missing columns get their defaults, unknown ones
 * are skipped.
 */
export function fillTable(table: RowTable, form: SnapshotTable, settle: () => void): void {
  const { count, header } = form
  const { width } = table
  const isSame = sameNames(form.columns, table.columns) && sameNames(header, table.header)
  const rows = isSame ? new CopiedRows(form) : new ConvertedRows(form, table)
  for (let first = 0; first < count; ) {
    settle()
    table.ensure(first)
    // Number of rows up to the end of the current page.
    const rowCount = Math.min(table.mask + 1 - (first & table.mask), count - first)
    rows.fill(table.page(first), table.at(first), rowCount)
    first += rowCount
  }
  if (!isSame) {
    fillHeader(table, form)
    relinkFree(table, form)
  }
  if (table.count !== count)
    throw new SnapshotUnreadableError(`Table "${table.name}" does not have its ${count} rows.`)
  table.page(0).fill(0, table.header.length, width)
}

export function fillLog(log: RowLog, form: SnapshotLog): void {
  const { head, tail } = form
  log.reset(head, tail)
  const rows = sameNames(form.columns, log.columns)
    ? new CopiedRows(form)
    : new ConvertedRows(form, log)
  forEachPage(log, head, tail, (row, count) => rows.fill(log.page(row), log.at(row), count))
}

/** Rows whose columns match the table's: whole pages are copied. */
class CopiedRows {
  readonly #width: number
  readonly #bytes: ByteRunReader

  constructor({ columns, runs }: SnapshotRows) {
    this.#width = columns.length
    this.#bytes = new ByteRunReader(runs)
  }

  fill(page: Float64Array, at: number, rows: number): void {
    this.#bytes.read(bytesOf(page, at, rows * this.#width))
  }
}

/**
 * Rows whose columns differ from the table's, or their order: each double is copied by its column's
 * name.
 */
class ConvertedRows {
  readonly #from: Int32Array
  readonly #defaults: Float64Array
  readonly #chunk: Float64Array
  readonly #widthFrom: number
  readonly #bytes: ByteRunReader

  constructor(
    { columns, runs }: SnapshotRows,
    to: { columns: readonly string[]; defaults: Readonly<Record<string, number>> },
  ) {
    this.#widthFrom = columns.length
    this.#from = Int32Array.from(to.columns, (name) => columns.indexOf(name))
    this.#defaults = Float64Array.from(to.columns, (name) => to.defaults[name] ?? 0)
    this.#chunk = new Float64Array(
      Math.max(1, Math.floor(chunkDoubles / this.#widthFrom)) * this.#widthFrom,
    )
    this.#bytes = new ByteRunReader(runs)
  }

  fill(page: Float64Array, at: number, rows: number): void {
    const chunk = this.#chunk
    const from = this.#from
    const defaults = this.#defaults
    const widthFrom = this.#widthFrom
    const rowsMax = chunk.length / widthFrom
    const width = from.length
    let to = at
    for (let left = rows; left > 0; ) {
      const taken = Math.min(left, rowsMax)
      this.#bytes.read(bytesOf(chunk, 0, taken * widthFrom))
      for (let row = 0; row < taken; row += 1, to += width)
        for (let column = 0; column < width; column += 1) {
          const source = from[column]!
          page[to + column] = source < 0 ? defaults[column]! : chunk[row * widthFrom + source]!
        }
      left -= taken
    }
  }
}

function fillHeader(table: RowTable, form: SnapshotTable): void {
  const written = rowOf(form, 0)
  const page = table.page(0)
  table.header.forEach((name, column) => {
    const source = form.header.indexOf(name)
    page[column] = source < 0 ? 0 : written[source]!
  })
}

/**
 * Restores the list of free rows. A free row is zero except for its link, which is always in the
 * first column.
 */
function relinkFree(table: RowTable, form: SnapshotTable): void {
  let left = form.count
  for (let row = table.page(0)[table.header.indexOf('free')]!; row !== 0; left -= 1) {
    if (left === 0 || row >= form.count)
      throw new SnapshotUnreadableError(
        `The list of free rows of table "${table.name}" is invalid.`,
      )
    const [link] = rowOf(form, row)
    const at = table.at(row)
    table.page(row).fill(0, at, at + table.width)
    table.page(row)[at] = link!
    row = link!
  }
}

/** Returns a copy of one row of a snapshot. */
function rowOf({ columns, runs }: SnapshotRows, row: number): Float64Array {
  const values = new Float64Array(columns.length)
  const reader = new ByteRunReader(runs)
  reader.skip(row * columns.length * doubleBytes)
  reader.read(bytesOf(values, 0, columns.length))
  return values
}

function forEachPage(
  { pageRows }: RowLog,
  head: number,
  tail: number,
  visit: (row: number, count: number) => void,
): void {
  for (let row = head; row < tail; ) {
    const end = Math.min(tail, row + pageRows - (row % pageRows))
    visit(row, end - row)
    row = end
  }
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, index) => name === b[index])
}

function bytesOf(page: Float64Array, at: number, count: number): Uint8Array {
  return new Uint8Array(page.buffer, page.byteOffset + at * doubleBytes, count * doubleBytes)
}
