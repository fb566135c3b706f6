import { largestAt, largestIndexes } from '../../../engine/tables/largestIndexes.ts'
import type { PauseCheck } from '../../ground/steps.ts'
import type { BoardQuery, ColumnRange, RankedRow, ScreenerBoard } from '../board.ts'
import { type Column, valueAt } from '../boardColumns.ts'
import { type ZoneBounds, zoneRows } from './zones.ts'

// Rows sampled to order the ranges; reading them takes a fraction of a millisecond.
const sampleSize = 2_048

/**
 * Finds the first rows of a query. Scans zones in the order of their largest values and stops when
 * no remaining zone can contain a result, which for nearly all queries is early.
 */
export class BoardScan {
  readonly #board: ScreenerBoard
  readonly #query: BoardQuery
  readonly #rowCount: number
  readonly #selection: LargestRows
  readonly #queue: ZoneQueue

  constructor(board: ScreenerBoard, query: BoardQuery) {
    this.#board = board
    this.#query = { ...query, ranges: orderRanges(board, query.ranges) }
    this.#rowCount = board.readCount
    this.#selection = new LargestRows(query.limit)
    this.#queue = new ZoneQueue(board.zones, this.#query, this.#rowCount)
  }

  get isOver(): boolean {
    const queue = this.#queue
    const selection = this.#selection
    return queue.isEmpty || !selection.accepts(queue.first * zoneRows, queue.firstValue)
  }

  /** Continues the scan of the board for about `rowsMax` rows. */
  step(rowsMax: number): void {
    const board = this.#board
    const query = this.#query
    const selection = this.#selection
    const queue = this.#queue
    const rowCount = this.#rowCount
    const column = board.column(query.column)
    // Copied out of the query: looking up a range's column in an object a million times is slow.
    const bounds = query.ranges.map((range) => ({
      values: board.column(range.column),
      min: range.min,
      max: range.max,
    }))
    for (let rows = 0; rows < rowsMax && !this.isOver; rows += zoneRows) {
      const from = queue.first * zoneRows
      const end = Math.min(from + zoneRows, rowCount)
      queue.removeFirst()
      const next = scanWithin(selection, query, column, bounds, from, end)
      scanLarger(selection, query, column, bounds, next, end)
    }
  }

  /** Returns the rows found by the scan, in order. */
  rows(): RankedRow[] {
    return this.#selection.largest()
  }
}

/**
 * Puts the most selective range first, judged by a sample, so that one comparison excludes most
 * rows.
 */
function orderRanges(board: ScreenerBoard, ranges: readonly ColumnRange[]): readonly ColumnRange[] {
  if (ranges.length < 2) return ranges
  const step = Math.max(1, Math.floor(board.count / sampleSize))
  const passes = ranges.map((range) => ({ range, alone: [range], count: 0 }))
  for (let id = 0; id < board.count; id += step)
    for (const pass of passes) if (board.isWithin(id, pass.alone)) pass.count += 1
  return passes.sort((a, b) => a.count - b.count).map(({ range }) => range)
}

type Bounded = { values: Column; min: number; max: number }

/**
 * Scans by the first range until the selection is full enough to have a lower bound. Returns the id
 * at which it stopped.
 */
function scanWithin(
  selection: LargestRows,
  { sign, after }: BoardQuery,
  column: Column,
  bounds: readonly Bounded[],
  from: number,
  end: number,
): number {
  const [first, ...others] = bounds
  if (first === undefined) return from
  const { values, min, max } = first
  let id = from
  for (; id < end && selection.lowerBound === Number.NEGATIVE_INFINITY; id += 1) {
    const bound = valueAt(values, id)
    if (!(bound >= min && bound <= max) || !isWithinAll(others, id)) continue
    const value = sign * valueAt(column, id)
    // This comparison also excludes NaN, the value of rows without this figure.
    if (!(value > Number.NEGATIVE_INFINITY)) continue
    if (after === null || isBehind(after, id, value)) selection.add(id, value)
  }
  return id
}

/** Scans by the selection's lower bound first, which excludes most rows. */
function scanLarger(
  selection: LargestRows,
  { sign, after }: BoardQuery,
  column: Column,
  bounds: readonly Bounded[],
  from: number,
  end: number,
): void {
  let { lowerBound } = selection
  // Local copies of the column's fields: this is the hottest loop, over possibly all rows, where
  // field access costs time.
  const { data, places } = column
  for (let id = from; id < end; id += 1) {
    const value = sign * data[places[id]!]!
    if (!(value >= lowerBound) || !selection.accepts(id, value) || !isWithinAll(bounds, id))
      continue
    if (after !== null && !isBehind(after, id, value)) continue
    selection.add(id, value)
    lowerBound = selection.lowerBound
  }
}

function isWithinAll(bounds: readonly Bounded[], id: number): boolean {
  for (const { values, min, max } of bounds) {
    const value = valueAt(values, id)
    if (!(value >= min && value <= max)) return false
  }
  return true
}

function isBehind(after: RankedRow, id: number, value: number): boolean {
  return value < after.value || (value === after.value && id > after.id)
}

/** Rows scanned between two pauses; takes some tenths of a millisecond. */
export const rowsPerScanStep = 50_000

/** Runs a query on a board, pausing between steps. Null: a reorg happened during a pause. */
export async function scanBoard(
  board: ScreenerBoard,
  query: BoardQuery,
  pause: PauseCheck,
): Promise<RankedRow[] | null> {
  const scan = new BoardScan(board, query)
  while (!scan.isOver) {
    const pausing = pause()
    if (pausing !== null && !(await pausing)) return null
    scan.step(rowsPerScanStep)
  }
  return scan.rows()
}

/** Collects the largest rows that a scan has seen; equal values are ordered by id. */
export class LargestRows {
  /** Lower bound: rows with smaller values are not among the largest. */
  lowerBound = Number.NEGATIVE_INFINITY
  /** Rows with exactly the lower bound are excluded from this id on. */
  lowerBoundId = -1
  readonly #limit: number
  readonly #ids: Uint32Array
  readonly #values: Float64Array
  #count = 0

  constructor(limit: number) {
    this.#limit = limit
    // Four times the limit, so that the lower bound is computed only after every three times
    // `limit` added rows.
    this.#ids = new Uint32Array(limit * 4)
    this.#values = new Float64Array(limit * 4)
  }

  /** True when a row may be among the largest seen so far. */
  accepts(id: number, value: number): boolean {
    return value > this.lowerBound || (value === this.lowerBound && id < this.lowerBoundId)
  }

  add(id: number, value: number): void {
    this.#ids[this.#count] = id
    this.#values[this.#count] = value
    this.#count += 1
    if (this.#count === this.#ids.length) this.#prune()
  }

  /** Returns the largest rows seen, in order. */
  largest(): RankedRow[] {
    const ids = this.#ids
    const values = this.#values
    const limit = this.#limit
    const places = largestIndexes(values.subarray(0, this.#count), limit, (place) => ids[place]!)
    return places.map((place) => ({ id: ids[place]!, value: values[place]! }))
  }

  /** Drops all but the largest rows and raises the lower bound. */
  #prune(): void {
    const ids = this.#ids
    const values = this.#values
    const limit = this.#limit
    const count = this.#count
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
    this.#count = kept
    this.lowerBound = least
    this.lowerBoundId = leastId
  }
}

/**
 * Queue of the zones that may contain results, largest value first, then by zone number. A heap,
 * because most zones are never taken out.
 */
class ZoneQueue {
  readonly #zones: Uint32Array
  readonly #values: Float64Array
  #count = 0

  /** Builds the queue of zones over the first `rows` rows of the board. */
  constructor(bounds: ZoneBounds, query: BoardQuery, rows: number) {
    const zoneCount = Math.ceil(rows / zoneRows)
    this.#zones = new Uint32Array(zoneCount)
    this.#values = new Float64Array(zoneCount)
    this.#fill(bounds, query, zoneCount)
    for (let at = (this.#count >>> 1) - 1; at >= 0; at -= 1) this.#sink(at)
  }

  get isEmpty(): boolean {
    return this.#count === 0
  }

  get first(): number {
    return this.#zones[0]!
  }

  /** Upper bound of the sort values in all remaining zones. */
  get firstValue(): number {
    return this.#values[0]!
  }

  removeFirst(): void {
    this.#count -= 1
    this.#zones[0] = this.#zones[this.#count]!
    this.#values[0] = this.#values[this.#count]!
    this.#sink(0)
  }

  #fill(bounds: ZoneBounds, { ranges, column, sign, after }: BoardQuery, zoneCount: number): void {
    const ofRanges = ranges.map((range) => ({
      least: bounds.minimumsOf(range.column),
      most: bounds.maximumsOf(range.column),
      min: range.min,
      max: range.max,
    }))
    const mostOf = sign === 1 ? bounds.maximumsOf(column) : bounds.minimumsOf(column)
    const leastOf = sign === 1 ? bounds.minimumsOf(column) : bounds.maximumsOf(column)
    const behind = after === null ? Number.POSITIVE_INFINITY : after.value
    for (let zone = 0; zone < zoneCount; zone += 1) {
      const most = sign * mostOf[zone]!
      if (most === Number.NEGATIVE_INFINITY || sign * leastOf[zone]! > behind) continue
      if (ofRanges.some(({ least, most, min, max }) => most[zone]! < min || least[zone]! > max))
        continue
      this.#zones[this.#count] = zone
      this.#values[this.#count] = Math.min(most, behind)
      this.#count += 1
    }
  }

  #isAhead(a: number, b: number): boolean {
    const zones = this.#zones
    const values = this.#values
    return values[a]! > values[b]! || (values[a] === values[b] && zones[a]! < zones[b]!)
  }

  #sink(from: number): void {
    const zones = this.#zones
    const values = this.#values
    const count = this.#count
    let at = from
    for (;;) {
      let child = 2 * at + 1
      if (child >= count) return
      if (child + 1 < count && this.#isAhead(child + 1, child)) child += 1
      if (!this.#isAhead(child, at)) return
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
