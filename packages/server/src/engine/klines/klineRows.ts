import { doubled } from '../../lib/growArray.ts'
import {
  type EndedKlineRows,
  endedKlineColumn,
  klineRowWidth,
} from '../../model/klines/endedKlines.ts'
import { addLimbs } from '../tables/exactSums.ts'
import { columnNames, type RowTable } from '../tables/rowTable.ts'

// Local alias: V8 reads an imported binding at each use.
const columns = klineRowWidth
// Initial room for the klines of one block, enough for a quiet block; doubles as needed.
const initialRows = 16

/** Collects the klines that end in one block. Returned rows are never changed. */
export class EndedKlineBuffer {
  rows = new Float64Array(initialRows * columns)
  count = 0

  /** Adds a row for one kline and returns where it starts. */
  push(): number {
    const at = this.count * columns
    if (at === this.rows.length) this.rows = doubled(this.rows)
    this.count += 1
    return at
  }

  /** Returns a copy of the collected klines, null if there are none, and starts over. */
  takeAll(): EndedKlineRows | null {
    const { rows, count } = this
    if (count === 0) return null
    this.count = 0
    return { count, rows: rows.slice(0, count * columns) }
  }
}

// Local alias: V8 inlines fields of a local constant, but not of an imported one.
const K = endedKlineColumn

/** Parts of an open kline's row that are saved separately. */
export const openKlinePart = { place: 0, trades: 1 } as const

/** Columns of an open kline's row. Volumes and count have the layout of an ended kline. */
const column = {
  /** Shortest interval in which the trades of the row are still open. */
  level: 0,
  /** Row of the pair's earlier trades, which are open only in longer intervals. */
  next: 1,
  pair: 2,
  /** Time and prices of the pair's last trade; valid in its first row only. */
  lastTradeAtS: 3,
  closeUsd: 4,
  closeNative: 5,
  openUsd: 6,
  highUsd: 7,
  lowUsd: 8,
  openNative: 9,
  highNative: 10,
  lowNative: 11,
  volumeUsd: 12,
  volumeNative: 14,
  count: 17,
} as const
export const openKlineNames = columnNames(column, { volumeUsd: 2, volumeNative: 3 })
export const openKlineColumns = openKlineNames.length
const nativeOffset = column.volumeNative - column.volumeUsd
const countOffset = column.count - column.volumeUsd
export const openKlinePartWidths = [2, 16] as const

export const openKlineColumn = column

/**
 * Writes an open kline in the layout of an ended kline. Pair and close come from the pair's first
 * row.
 */
export function writeKline(
  out: Float64Array,
  to: number,
  interval: number,
  startS: number,
  rows: RowTable,
  first: number,
  row: number,
): void {
  const firstPage = rows.page(first)
  const firstAt = rows.at(first)
  out[to] = firstPage[firstAt + column.pair]! - 1
  out[to + K.interval] = interval
  out[to + K.startS] = startS
  out[to + K.usdClose] = firstPage[firstAt + column.closeUsd]!
  out[to + K.nativeClose] = firstPage[firstAt + column.closeNative]!
  const page = rows.page(row)
  const from = rows.at(row)
  out[to + K.usdOpen] = page[from + column.openUsd]!
  out[to + K.usdHigh] = page[from + column.highUsd]!
  out[to + K.usdLow] = page[from + column.lowUsd]!
  out[to + K.nativeOpen] = page[from + column.openNative]!
  out[to + K.nativeHigh] = page[from + column.highNative]!
  out[to + K.nativeLow] = page[from + column.lowNative]!
  for (let offset = 0; offset < openKlineColumns - column.volumeUsd; offset += 1)
    out[to + K.volumeUsd + offset] = page[from + column.volumeUsd + offset]!
}

/**
 * Extends open, high and low at `at` to include a price. Without prices so far, all three become
 * the price.
 */
export function extendRange(page: Float64Array, at: number, price: number): void {
  if (page[at] === 0) {
    page[at] = price
    page[at + 1] = price
    page[at + 2] = price
  } else if (price > page[at + 1]!) page[at + 1] = price
  else if (price < page[at + 2]!) page[at + 2] = price
}

/**
 * Merges open, high and low of earlier trades into those at `at`; does nothing if no earlier trade
 * had a price.
 */
export function mergeEarlierPrices(
  page: Float64Array,
  at: number,
  earlier: Float64Array,
  earlierAt: number,
): void {
  const open = earlier[earlierAt]!
  if (open === 0) return
  const high = earlier[earlierAt + 1]!
  const low = earlier[earlierAt + 2]!
  page[at] = open
  if (high > page[at + 1]!) page[at + 1] = high
  if (low < page[at + 2]!) page[at + 2] = low
}

/**
 * Merges open, high and low of later trades into those at `at`; does nothing if no later trade had
 * a price.
 */
export function mergeLaterPrices(
  page: Float64Array,
  at: number,
  later: Float64Array,
  laterAt: number,
): void {
  const open = later[laterAt]!
  if (open === 0) return
  const high = later[laterAt + 1]!
  const low = later[laterAt + 2]!
  if (page[at] === 0) {
    page[at] = open
    page[at + 1] = high
    page[at + 2] = low
    return
  }
  if (high > page[at + 1]!) page[at + 1] = high
  if (low < page[at + 2]!) page[at + 2] = low
}

/** Adds volumes and trade count of an open kline's row to those at `at`. */
export function addVolumes(page: Float64Array, at: number, row: Float64Array, from: number): void {
  addLimbs(page, at, row, from + column.volumeUsd, 2)
  addLimbs(page, at + nativeOffset, row, from + column.volumeNative, 3)
  page[at + countOffset]! += row[from + column.count]!
}
