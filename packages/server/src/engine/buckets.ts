import { RowTable } from './rowTable.ts'
import type { UndoLog } from './undoLog.ts'

/** Columns of one bucket of one pair. `buy` to `amount` have the layout of a pair's running sums. */
export const bucketColumn = {
  index: 0,
  pair: 1,
  next: 2,
  /** The pair's bucket before this one. It may be gone by now: see `before`. */
  previous: 3,
  /** In the queue of all buckets, which is in order of time. */
  queueNext: 4,
  buy: 5,
  sell: 7,
  organic: 9,
  buyCount: 11,
  sellCount: 12,
  amount: 13,
  /** USD price when the bucket began, 0 when there was none. */
  open: 16,
  high: 17,
  low: 18,
} as const

const columns = 19

/** Length of `buy` to `amount`. */
export const sumColumns = 11

const queue = { head: 2, tail: 3 } as const

/** Buckets of one length, for all pairs. Block time never goes back, so the queue is in order. */
export class Buckets {
  readonly rows: RowTable
  readonly lengthS: number
  /** How many buckets back a bucket is dead. */
  readonly kept: number

  constructor(undo: UndoLog, options: { lengthS: number; keptS: number }) {
    this.rows = new RowTable(undo, columns)
    this.lengthS = options.lengthS
    this.kept = options.keptS / options.lengthS
  }

  /** A new bucket at the end of the queue. */
  append(index: number, pairRow: number, previous: number, openUsd: number): number {
    const { rows } = this
    const row = rows.alloc()
    const page = rows.page(row)
    const at = rows.at(row)
    page[at + bucketColumn.index] = index
    page[at + bucketColumn.pair] = pairRow
    page[at + bucketColumn.previous] = previous
    page[at + bucketColumn.open] = openUsd
    page[at + bucketColumn.high] = openUsd
    page[at + bucketColumn.low] = openUsd
    if (this.isOf(previous, pairRow)) this.link(previous, bucketColumn.next, row)
    const header = rows.page(0)
    const tail = header[queue.tail]!
    if (tail === 0) header[queue.head] = row
    else this.link(tail, bucketColumn.queueNext, row)
    header[queue.tail] = row
    return row
  }

  /** The oldest bucket of all when it is dead at bucket `now`, else 0. */
  dead(now: number): number {
    const row = this.rows.page(0)[queue.head]!
    if (row === 0) return 0
    return this.rows.page(row)[this.rows.at(row)]! <= now - this.kept ? row : 0
  }

  /** Removes the queue's head; returns the pair's next bucket. */
  removeHead(): number {
    const { rows } = this
    rows.touch(0)
    const header = rows.page(0)
    const row = header[queue.head]!
    const page = rows.page(row)
    const at = rows.at(row)
    const next = page[at + bucketColumn.next]!
    header[queue.head] = page[at + bucketColumn.queueNext]!
    if (header[queue.head] === 0) header[queue.tail] = 0
    rows.touch(row)
    page[at + bucketColumn.pair] = 0
    rows.free(row)
    return next
  }

  /** The pair's bucket before `row`, 0 when it has been removed and its row may be another's. */
  before(row: number): number {
    const { rows } = this
    const page = rows.page(row)
    const at = rows.at(row)
    const previous = page[at + bucketColumn.previous]!
    if (previous === 0) return 0
    const page2 = rows.page(previous)
    const at2 = rows.at(previous)
    const isSame =
      page2[at2 + bucketColumn.pair] === page[at + bucketColumn.pair] &&
      page2[at2 + bucketColumn.index]! < page[at + bucketColumn.index]!
    return isSame ? previous : 0
  }

  /** The bucket belongs to the pair: it has not been removed. */
  isOf(row: number, pairRow: number): boolean {
    return row !== 0 && this.rows.page(row)[this.rows.at(row) + bucketColumn.pair] === pairRow
  }

  private link(row: number, column: number, to: number): void {
    this.rows.touch(row)
    this.rows.page(row)[this.rows.at(row) + column] = to
  }
}
