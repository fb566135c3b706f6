import { doubled } from '../../lib/growArray.ts'
import { type EndedKlineRows, klineRowWidth } from '../../model/klines/endedKlines.ts'

// Local alias: V8 reads an imported binding at each use.
const columns = klineRowWidth
// Initial room for the klines of one block, enough for a quiet block; doubles as needed.
const initialRows = 16

/** Collects the klines that end in one block. Returned rows are never changed. */
export class EndedKlineBuffer {
  rows = new Float64Array(initialRows * columns)
  count = 0

  /** Adds a row for one kline and returns where it starts. */
  push(): number {
    const at = this.count * columns
    if (at === this.rows.length) this.rows = doubled(this.rows)
    this.count += 1
    return at
  }

  /** Returns a copy of the collected klines, null if there are none, and starts over. */
  takeAll(): EndedKlineRows | null {
    const { rows, count } = this
    if (count === 0) return null
    this.count = 0
    return { count, rows: rows.slice(0, count * columns) }
  }
}
