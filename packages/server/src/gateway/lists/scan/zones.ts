import { type Column, valueAt } from '../boardColumns.ts'

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
export class ZoneBounds {
  #minimums: Float64Array[]
  #maximums: Float64Array[]

  constructor(columnCount: number) {
    this.#minimums = Array.from({ length: columnCount }, () => new Float64Array(0))
    this.#maximums = Array.from({ length: columnCount }, () => new Float64Array(0))
  }

  grow(rows: number): void {
    const count = zonesOf(rows)
    this.#minimums = this.#minimums.map((data) => grown(data, count, Number.POSITIVE_INFINITY))
    this.#maximums = this.#maximums.map((data) => grown(data, count, Number.NEGATIVE_INFINITY))
  }

  /**
   * Smallest values by zone. A zone without values has inverted infinite bounds, which match no
   * range.
   */
  minimumsOf(column: number): Float64Array {
    return this.#minimums[column]!
  }

  maximumsOf(column: number): Float64Array {
    return this.#maximums[column]!
  }

  /** Extends the bounds of a row's zone to a new value of the row. */
  widen(id: number, column: number, value: number): void {
    const zone = Math.floor(id / zoneRows)
    const least = this.#minimums[column]!
    const most = this.#maximums[column]!
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
    this.#minimums[column]![zone] = least
    this.#maximums[column]![zone] = most
  }
}

function grown(data: Float64Array, length: number, rest: number): Float64Array {
  const longer = new Float64Array(length).fill(rest, data.length)
  longer.set(data)
  return longer
}
