import assert from 'node:assert'
import type { Undoable, UndoLog } from './undoLog.ts'

// Pages of about 128 KB: no copy when a table grows, and little slack when it is small.
const pageDoubles = 1 << 14

/**
 * Rows of doubles (and a few bigints) in pages. Row 0 is the header: column 0 holds how many rows
 * are in use, column 1 the first free row. The header is saved and restored like any other row, so
 * giving out rows needs no undo of its own. Call `touch` before the first write to a row.
 */
export class RowTable implements Undoable {
  readonly width: number
  readonly bigWidth: number
  readonly shift: number
  readonly mask: number
  readonly pages: Float64Array[] = []
  readonly bigPages: bigint[][] = []
  readonly stamps: Uint32Array[] = []
  private readonly undo: UndoLog

  constructor(undo: UndoLog, width: number, bigWidth = 0) {
    assert(width >= 2, 'a row holds at least the header')
    this.undo = undo
    this.width = width
    this.bigWidth = bigWidth
    this.shift = Math.max(0, 31 - Math.clz32(Math.floor(pageDoubles / width)))
    this.mask = (1 << this.shift) - 1
    this.ensure(0)
    this.pages[0]![0] = 1
  }

  /** Rows in use, the header and free rows included. */
  get count(): number {
    return this.pages[0]![0]!
  }

  page(row: number): Float64Array {
    return this.pages[row >>> this.shift]!
  }

  at(row: number): number {
    return (row & this.mask) * this.width
  }

  big(row: number, column: number): bigint {
    return this.bigPages[row >>> this.shift]![(row & this.mask) * this.bigWidth + column]!
  }

  setBig(row: number, column: number, value: bigint): void {
    this.bigPages[row >>> this.shift]![(row & this.mask) * this.bigWidth + column] = value
  }

  touch(row: number): void {
    const stamps = this.stamps[row >>> this.shift]!
    const index = row & this.mask
    if (stamps[index] === this.undo.epoch || this.undo.epoch === 0) return
    stamps[index] = this.undo.epoch
    this.save(row)
  }

  /** A zeroed row, a freed one if there is any. */
  alloc(): number {
    this.touch(0)
    const header = this.pages[0]!
    const free = header[1]!
    const row = free === 0 ? header[0]! : free
    if (free === 0) {
      header[0] = row + 1
      this.ensure(row)
      this.touch(row)
    } else {
      this.touch(row)
      header[1] = this.page(row)[this.at(row)]!
    }
    const page = this.page(row)
    const at = this.at(row)
    // A loop: a call of fill costs more than the few doubles it would clear.
    for (let index = at; index < at + this.width; index += 1) page[index] = 0
    return row
  }

  /** `count` zeroed rows beside each other, never freed one by one. */
  allocRun(count: number): number {
    this.touch(0)
    const header = this.pages[0]!
    const first = header[0]!
    header[0] = first + count
    this.ensure(first + count - 1)
    return first
  }

  free(row: number): void {
    this.touch(0)
    this.touch(row)
    const header = this.pages[0]!
    this.page(row)[this.at(row)] = header[1]!
    header[1] = row
  }

  ensure(row: number): void {
    while (this.pages.length <= row >>> this.shift) {
      const rows = this.mask + 1
      this.pages.push(new Float64Array(rows * this.width))
      this.stamps.push(new Uint32Array(rows))
      if (this.bigWidth > 0) this.bigPages.push(new Array(rows * this.bigWidth).fill(0n))
    }
  }

  restoreRow(row: number, data: Float64Array, at: number, bigs: bigint[], bigAt: number): void {
    const page = this.page(row)
    const to = this.at(row)
    for (let column = 0; column < this.width; column += 1) page[to + column] = data[at + column]!
    for (let column = 0; column < this.bigWidth; column += 1)
      this.setBig(row, column, bigs[bigAt + column]!)
  }

  private save(row: number): void {
    const record = this.undo.current
    const { width, bigWidth } = this
    record.tables.push(this)
    record.rows.push(row)
    const to = record.reserve(width)
    const data = record.data
    const page = this.page(row)
    const from = this.at(row)
    for (let column = 0; column < width; column += 1) data[to + column] = page[from + column]!
    for (let column = 0; column < bigWidth; column += 1) record.bigs.push(this.big(row, column))
  }
}
