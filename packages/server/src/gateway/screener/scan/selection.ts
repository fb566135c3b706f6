import { keepLargest, largestAt } from '../../../engine/tables/keepLargest.ts'
import type { Ranked } from '../board.ts'

/** Collects the largest rows that a scan has seen; equal values are ordered by id. */
export class Selection {
  /** Lower bound: rows with smaller values are not among the largest. */
  least = Number.NEGATIVE_INFINITY
  /** Rows with exactly the lower bound are excluded from this id on. */
  leastId = -1
  private readonly limit: number
  private readonly ids: Uint32Array
  private readonly values: Float64Array
  private count = 0

  constructor(limit: number) {
    this.limit = limit
    // Four times the limit, so that the lower bound is computed only after every three times
    // `limit` added rows.
    this.ids = new Uint32Array(limit * 4)
    this.values = new Float64Array(limit * 4)
  }

  /** True when a row may be among the largest. */
  takes(id: number, value: number): boolean {
    return value > this.least || (value === this.least && id < this.leastId)
  }

  add(id: number, value: number): void {
    this.ids[this.count] = id
    this.values[this.count] = value
    this.count += 1
    if (this.count === this.ids.length) this.keep()
  }

  /** Returns the largest rows in order. */
  largest(): Ranked[] {
    const { ids, values, limit } = this
    const places = keepLargest(values.subarray(0, this.count), limit, (place) => ids[place]!)
    return places.map((place) => ({ id: ids[place]!, value: values[place]! }))
  }

  /** Drops all but the largest rows and raises the lower bound. */
  private keep(): void {
    const { ids, values, limit, count } = this
    const least = largestAt(values.slice(0, count), limit - 1)
    let equalCount = limit
    for (let place = 0; place < count; place += 1) if (values[place]! > least) equalCount -= 1
    const equal = ids.filter((_, place) => place < count && values[place] === least).sort()
    const leastId = equal[equalCount - 1]!
    let kept = 0
    for (let place = 0; place < count; place += 1) {
      const value = values[place]!
      if (value < least || (value === least && ids[place]! > leastId)) continue
      ids[kept] = ids[place]!
      values[kept] = value
      kept += 1
    }
    this.count = kept
    this.least = least
    this.leastId = leastId
  }
}
