import type { BoardQuery } from '../board.ts'
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

/**
 * Queue of the zones that may contain results, largest value first, then by zone number. A heap,
 * because most zones are never taken out.
 */
export class ZoneQueue {
  private readonly zones: Uint32Array
  private readonly values: Float64Array
  private count = 0

  /** Builds the queue of zones over the first `rows` rows of the board. */
  constructor(bounds: Zones, query: BoardQuery, rows: number) {
    const zoneCount = Math.ceil(rows / zoneRows)
    this.zones = new Uint32Array(zoneCount)
    this.values = new Float64Array(zoneCount)
    this.fill(bounds, query, zoneCount)
    for (let at = (this.count >>> 1) - 1; at >= 0; at -= 1) this.sink(at)
  }

  get isEmpty(): boolean {
    return this.count === 0
  }

  get first(): number {
    return this.zones[0]!
  }

  /** Upper bound of the sort values in all remaining zones. */
  get firstValue(): number {
    return this.values[0]!
  }

  drop(): void {
    this.count -= 1
    this.zones[0] = this.zones[this.count]!
    this.values[0] = this.values[this.count]!
    this.sink(0)
  }

  private fill(
    bounds: Zones,
    { ranges, column, sign, after }: BoardQuery,
    zoneCount: number,
  ): void {
    const ofRanges = ranges.map((range) => ({
      least: bounds.leastOf(range.column),
      most: bounds.mostOf(range.column),
      min: range.min,
      max: range.max,
    }))
    const mostOf = sign === 1 ? bounds.mostOf(column) : bounds.leastOf(column)
    const leastOf = sign === 1 ? bounds.leastOf(column) : bounds.mostOf(column)
    const behind = after === null ? Number.POSITIVE_INFINITY : after.value
    for (let zone = 0; zone < zoneCount; zone += 1) {
      const most = sign * mostOf[zone]!
      if (most === Number.NEGATIVE_INFINITY || sign * leastOf[zone]! > behind) continue
      if (ofRanges.some(({ least, most, min, max }) => most[zone]! < min || least[zone]! > max))
        continue
      this.zones[this.count] = zone
      this.values[this.count] = Math.min(most, behind)
      this.count += 1
    }
  }

  private isAhead(a: number, b: number): boolean {
    const { zones, values } = this
    return values[a]! > values[b]! || (values[a] === values[b] && zones[a]! < zones[b]!)
  }

  private sink(from: number): void {
    const { zones, values, count } = this
    let at = from
    for (;;) {
      let child = 2 * at + 1
      if (child >= count) return
      if (child + 1 < count && this.isAhead(child + 1, child)) child += 1
      if (!this.isAhead(child, at)) return
      const zone = zones[at]!
      const value = values[at]!
      zones[at] = zones[child]!
      values[at] = values[child]!
      zones[child] = zone
      values[child] = value
      at = child
    }
  }
}
