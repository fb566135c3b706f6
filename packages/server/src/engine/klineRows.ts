import { type EndedKlineRows, endedKlineColumns } from '../model/endedKlines.ts'

// A quiet block's worth; grows by doubling and stays near what the block before needed.
const firstRows = 16

/** Collects the klines that end in one block. What it gives out is never written to again. */
export class KlineRows {
  rows = new Float64Array(0)
  count = 0
  private expected = firstRows

  /** Room for one more; returns where its row begins. */
  push(): number {
    const at = this.count * endedKlineColumns
    if (at === this.rows.length) {
      const grown = new Float64Array(Math.max(this.expected * endedKlineColumns, at * 2))
      grown.set(this.rows)
      this.rows = grown
    }
    this.count += 1
    return at
  }

  /** What was collected, null when nothing was; starts anew. */
  take(): EndedKlineRows | null {
    const { rows, count } = this
    this.expected = Math.max(firstRows, count)
    this.rows = new Float64Array(0)
    this.count = 0
    return count === 0 ? null : { count, rows: rows.subarray(0, count * endedKlineColumns) }
  }
}
