import { bucketColumn, bucketColumnNames } from '../tables/pairTable.ts'
import { RowLog } from '../tables/rowLog.ts'
import type { UndoLog } from '../tables/undoLog.ts'

// Local alias: V8 inlines fields of a local constant, but not of an imported one.
const column = bucketColumn

/**
 * Buckets of one length, for all pairs. Block time never decreases, so the log is ordered by time.
 */
export class Buckets {
  readonly rows: RowLog
  readonly lengthS: number
  /** Number of buckets that are kept; an older bucket has expired. */
  readonly keptCount: number

  constructor(undo: UndoLog, options: { name: string; lengthS: number; keptS: number }) {
    this.rows = new RowLog(undo, { name: options.name, columns: bucketColumnNames })
    this.lengthS = options.lengthS
    this.keptCount = options.keptS / options.lengthS
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

  /**
   * Lets a token series continue the prices of a pair: returns the pair's newest bucket if it is
   * closed, otherwise a copy of it.
   */
  continuePrices(tail: number, lastTradeAtS: number, now: number): number {
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

  /** True if the oldest bucket of all pairs has expired at bucket `now`. */
  isHeadExpired(now: number): boolean {
    return this.hasBucketUpTo(now - this.keptCount)
  }

  /** True if a bucket of this index or an older one exists. */
  hasBucketUpTo(index: number): boolean {
    const { rows } = this
    return rows.head < rows.tail && rows.page(rows.head)[rows.at(rows.head)]! <= index
  }
}
