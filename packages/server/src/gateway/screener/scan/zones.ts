import { type Column, valueAt } from '../placedColumns.ts'

/** So many rows have their bounds in common: few enough that most have none of the first rows, and that going over all of them is nothing. */
export const zoneRows = 256

const zonesOf = (rows: number) => Math.ceil(rows / zoneRows)

/**
 * Between which values the rows of a zone are, in every column; rows without a value do not count. The bounds may be wider than
 * the rows are, never narrower: what they leave out need not be looked at.
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

  /** By zone; a zone without values has infinities that no value is between. */
  leastOf(column: number): Float64Array {
    return this.least[column]!
  }

  mostOf(column: number): Float64Array {
    return this.most[column]!
  }

  /** A row has this value now. */
  widen(id: number, column: number, value: number): void {
    const zone = Math.floor(id / zoneRows)
    const least = this.least[column]!
    const most = this.most[column]!
    if (value < least[zone]!) least[zone] = value
    if (value > most[zone]!) most[zone] = value
  }

  /** The bounds of the zone that a row is in are those of its rows again, of so many rows in all. */
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
