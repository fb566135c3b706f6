import { grown } from '../../lib/grown.ts'
import { type EndedKlineRows, endedKlineColumns } from '../../model/klines/endedKlines.ts'

// A binding of its own: an imported one is read at each use.
const columns = endedKlineColumns
// A quiet block's worth; grows by doubling.
const firstRows = 16

/** Collects the klines that end in one block. What it gives out is never written to again. */
export class KlineRows {
  rows = new Float64Array(firstRows * columns)
  count = 0

  /** Room for one more; returns where its row begins. */
  push(): number {
    const at = this.count * columns
    if (at === this.rows.length) this.rows = grown(this.rows)
    this.count += 1
    return at
  }

  /** A copy of what was collected, null when nothing was; starts again. */
  take(): EndedKlineRows | null {
    const { rows, count } = this
    if (count === 0) return null
    this.count = 0
    return { count, rows: rows.slice(0, count * columns) }
  }
}
