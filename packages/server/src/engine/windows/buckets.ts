import { columnNames } from '../tables/columnNames.ts'
import { RowLog } from '../tables/rowLog.ts'
import type { UndoLog } from '../tables/undoLog.ts'

/** Columns of one bucket of one pair. `buy` to `amount` have the layout of a pair's running sums. */
const column = {
  index: 0,
  pair: 1,
  /** The pair's bucket before this one, which may be gone by now. */
  previous: 2,
  buy: 3,
  sell: 5,
  organic: 7,
  buyCount: 9,
  sellCount: 10,
  amount: 11,
  /** USD price when the bucket began, 0 when there was none. */
  open: 14,
  high: 15,
  low: 16,
} as const
export const bucketColumn = column

const limbsOf = { buy: 2, sell: 2, organic: 2, amount: 3 }
const columns = columnNames(column, limbsOf)

/** `buy` to `amount`. */
export const sumNames = columns.slice(column.buy, column.open)
export const sumColumns = sumNames.length

/** Buckets of one length, for all pairs. Block time never goes back, so the log is in order. */
export class Buckets {
  readonly rows: RowLog
  readonly lengthS: number
  /** How many buckets back a bucket is dead. */
  readonly kept: number

  constructor(undo: UndoLog, options: { name: string; lengthS: number; keptS: number }) {
    this.rows = new RowLog(undo, { name: options.name, columns })
    this.lengthS = options.lengthS
    this.kept = options.keptS / options.lengthS
  }

  append(index: number, pairRow: number, previous: number, openUsd: number): number {
    const { rows } = this
    const row = rows.append()
    const page = rows.page(row)
    const at = rows.at(row)
    page[at + column.index] = index
    page[at + column.pair] = pairRow
    page[at + column.previous] = previous
    page[at + column.open] = openUsd
    page[at + column.high] = openUsd
    page[at + column.low] = openUsd
    return row
  }

  /** For another owner, which has the prices of the pair up to now: `tail` where that is done, else a copy of it. */
  forkPrices(tail: number, lastTradeAtS: number, now: number): number {
    if (Math.floor(lastTradeAtS / this.lengthS) !== now) return tail
    const { rows } = this
    const page = rows.page(tail)
    const at = rows.at(tail)
    const row = this.append(now, 0, page[at + column.previous]!, page[at + column.open]!)
    const copy = rows.page(row)
    const to = rows.at(row)
    copy[to + column.high] = page[at + column.high]!
    copy[to + column.low] = page[at + column.low]!
    return row
  }

  /** The oldest bucket of all is dead at bucket `now`. */
  isHeadDead(now: number): boolean {
    return this.hasUpTo(now - this.kept)
  }

  /** There is a bucket of this index or an older one. */
  hasUpTo(index: number): boolean {
    const { rows } = this
    return rows.head < rows.tail && rows.page(rows.head)[rows.at(rows.head)]! <= index
  }
}
