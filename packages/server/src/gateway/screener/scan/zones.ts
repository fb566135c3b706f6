import { type Column, valueAt } from '../placedColumns.ts'

/**
 * Rows per zone: small enough that most zones contain no result, large enough that scanning the
 * zones' bounds costs nothing.
 */
export const zoneRows = 256

const zonesOf = (rows: number) => Math.ceil(rows / zoneRows)

/**
 * Smallest and largest value of each zone (a block of consecutive rows) in every column, ignoring
 * NaN. Bounds may be wider than the values but never narrower, so zones outside a query's range can
 * be skipped.
 */
export class Zones {
  private least: Float64Array[]
  private most: Float64Array[]

  constructor(columnCount: number) {
    this.least = Array.from({ length: columnCount }, () => new Float64Array(0))
    this.most = Array.from({ length: columnCount }, () => new Float64Array(0))
  }

  grow(rows: number): void {
    const count = zonesOf(rows)
    this.least = this.least.map((data) => grown(data, count, Number.POSITIVE_INFINITY))
    this.most = this.most.map((data) => grown(data, count, Number.NEGATIVE_INFINITY))
  }

  /**
   * Smallest values by zone. A zone without values has inverted infinite bounds, which match no
   * range.
   */
  leastOf(column: number): Float64Array {
    return this.least[column]!
  }

  mostOf(column: number): Float64Array {
    return this.most[column]!
  }

  /** Extends the bounds of a row's zone to a new value of the row. */
  widen(id: number, column: number, value: number): void {
    const zone = Math.floor(id / zoneRows)
    const least = this.least[column]!
    const most = this.most[column]!
    if (value < least[zone]!) least[zone] = value
    if (value > most[zone]!) most[zone] = value
  }

  /** Recomputes the exact bounds of a row's zone. `rowCount` is the number of rows on the board. */
  tighten(id: number, column: number, values: Column, rowCount: number): void {
    const zone = Math.floor(id / zoneRows)
    const end = Math.min(rowCount, (zone + 1) * zoneRows)
    let least = Number.POSITIVE_INFINITY
    let most = Number.NEGATIVE_INFINITY
    for (let row = zone * zoneRows; row < end; row += 1) {
      const value = valueAt(values, row)
      if (value < least) least = value
      if (value > most) most = value
    }
    this.least[column]![zone] = least
    this.most[column]![zone] = most
  }
}

function grown(data: Float64Array, length: number, rest: number): Float64Array {
  const longer = new Float64Array(length).fill(rest, data.length)
  longer.set(data)
  return longer
}
