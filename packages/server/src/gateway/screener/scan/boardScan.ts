import type { Pause } from '../../turns/runInSlices.ts'
import type { Board, BoardQuery, Range, Ranked } from '../board.ts'
import { type Column, valueAt } from '../placedColumns.ts'
import { Selection } from './selection.ts'
import { ZoneQueue } from './zoneQueue.ts'
import { zoneRows } from './zones.ts'

// Reading so many takes a fraction of a millisecond.
const sampleSize = 2_048

/**
 * Looks for the first rows of a query, in the zones with the largest values first: it is over when no zone that is left can have
 * one, which is early for nearly all that is asked for.
 */
export class BoardScan {
  private readonly board: Board
  private readonly query: BoardQuery
  private readonly rowCount: number
  private readonly selection: Selection
  private readonly queue: ZoneQueue

  constructor(board: Board, query: BoardQuery) {
    this.board = board
    this.query = { ...query, ranges: orderRanges(board, query.ranges) }
    this.rowCount = board.readCount
    this.selection = new Selection(query.limit)
    this.queue = new ZoneQueue(board.zones, this.query, this.rowCount)
  }

  get isOver(): boolean {
    const { queue, selection } = this
    return queue.isEmpty || !selection.takes(queue.first * zoneRows, queue.firstValue)
  }

  /** Goes on for about so many rows. */
  step(rowsMax: number): void {
    const { board, query, selection, queue, rowCount } = this
    const column = board.column(query.column)
    // Side by side: a range that is an object would be looked into a million times.
    const bounds = query.ranges.map((range) => ({
      values: board.column(range.column),
      min: range.min,
      max: range.max,
    }))
    for (let rows = 0; rows < rowsMax && !this.isOver; rows += zoneRows) {
      const from = queue.first * zoneRows
      const end = Math.min(from + zoneRows, rowCount)
      queue.drop()
      const next = scanWithin(selection, query, column, bounds, from, end)
      scanLarger(selection, query, column, bounds, next, end)
    }
  }

  /** In order. */
  rows(): Ranked[] {
    return this.selection.largest()
  }
}

/** The range that fewest rows are within first, by a sample: most rows are then passed over by one comparison. */
function orderRanges(board: Board, ranges: readonly Range[]): readonly Range[] {
  if (ranges.length < 2) return ranges
  const step = Math.max(1, Math.floor(board.count / sampleSize))
  const passes = ranges.map((range) => ({ range, alone: [range], count: 0 }))
  for (let id = 0; id < board.count; id += step)
    for (const pass of passes) if (board.isWithin(id, pass.alone)) pass.count += 1
  return passes.sort((a, b) => a.count - b.count).map(({ range }) => range)
}

type Bounded = { values: Column; min: number; max: number }

/** Until it is known what is too small, most rows are passed over by what they must be within. Gives where that ended. */
function scanWithin(
  selection: Selection,
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
  for (; id < end && selection.least === Number.NEGATIVE_INFINITY; id += 1) {
    const bound = valueAt(values, id)
    if (!(bound >= min && bound <= max) || !isWithinAll(others, id)) continue
    const value = sign * valueAt(column, id)
    // Not of those that have no value, either.
    if (!(value > Number.NEGATIVE_INFINITY)) continue
    if (after === null || isBehind(after, id, value)) selection.add(id, value)
  }
  return id
}

/** From then on, by what is too small. */
function scanLarger(
  selection: Selection,
  { sign, after }: BoardQuery,
  column: Column,
  bounds: readonly Bounded[],
  from: number,
  end: number,
): void {
  let { least } = selection
  // Taken out of their object once: this is the loop that all rows may go through.
  const { data, places } = column
  for (let id = from; id < end; id += 1) {
    const value = sign * data[places[id]!]!
    if (!(value >= least) || !selection.takes(id, value) || !isWithinAll(bounds, id)) continue
    if (after !== null && !isBehind(after, id, value)) continue
    selection.add(id, value)
    least = selection.least
  }
}

function isWithinAll(bounds: readonly Bounded[], id: number): boolean {
  for (const { values, min, max } of bounds) {
    const value = valueAt(values, id)
    if (!(value >= min && value <= max)) return false
  }
  return true
}

function isBehind(after: Ranked, id: number, value: number): boolean {
  return value < after.value || (value === after.value && id > after.id)
}

/** Rows looked at between two pauses: some tenths of a millisecond. */
export const scanStep = 50_000

/** The first rows of a query, by what the board knows; null: a reorg came between. */
export async function selectRows(
  board: Board,
  query: BoardQuery,
  pause: Pause,
): Promise<Ranked[] | null> {
  const scan = new BoardScan(board, query)
  while (!scan.isOver) {
    const pausing = pause()
    if (pausing !== null && !(await pausing)) return null
    scan.step(scanStep)
  }
  return scan.rows()
}
