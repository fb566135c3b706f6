import { grown } from '../../lib/grown.ts'
import { type EndedKlineRows, endedKlineColumns } from '../../model/klines/endedKlines.ts'

// Local alias: an imported binding is read at each use.
const columns = endedKlineColumns
// Enough for a quiet block; doubles as needed.
const firstRows = 16

/** Collects the klines that end in one block. Returned rows are never changed. */
export class KlineRows {
  rows = new Float64Array(firstRows * columns)
  count = 0

  /** Adds a row and returns its start. */
  push(): number {
    const at = this.count * columns
    if (at === this.rows.length) this.rows = grown(this.rows)
    this.count += 1
    return at
  }

  /** Returns a copy of the collected rows, null if there are none, and starts over. */
  take(): EndedKlineRows | null {
    const { rows, count } = this
    if (count === 0) return null
    this.count = 0
    return { count, rows: rows.slice(0, count * columns) }
  }
}
