import { endedKlineColumn } from '../../model/klines/endedKlines.ts'
import { columnNames } from '../tables/columnNames.ts'
import { addLimbs } from '../tables/exactSums.ts'
import type { RowTable } from '../tables/rowTable.ts'

// A binding of its own: fields of an imported constant are read at each use, those of a local one are part of the code.
const K = endedKlineColumn

/** Parts of a row that are saved apart. */
export const openKlinePart = { place: 0, trades: 1 } as const

/** Volumes and count of a row are in the layout of an ended kline. */
const column = {
  /** Shortest interval that the row's trades are still open in. */
  level: 0,
  /** Earlier trades of the pair, which are open in longer intervals only. */
  next: 1,
  pair: 2,
  /** Time and prices of the pair's last trade; kept in its first row. */
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

/** A row in the layout of an ended kline; pair and close are in the pair's first row. */
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

/** Open, high, low from `at` take in a price; the first one opens when there was none before. */
export function stretch(page: Float64Array, at: number, price: number): void {
  if (page[at] === 0) {
    page[at] = price
    page[at + 1] = price
    page[at + 2] = price
  } else if (price > page[at + 1]!) page[at + 1] = price
  else if (price < page[at + 2]!) page[at + 2] = price
}

/** Open, high, low from `at` take in those of earlier trades; 0 where none of them had a price. */
export function takeInEarlier(
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

/** Open, high, low from `at` take in those of later trades; 0 where none had a price yet. */
export function takeInLater(
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

/** The volumes and count of a row, to those that lie from `at` on in the same order. */
export function addVolumes(page: Float64Array, at: number, row: Float64Array, from: number): void {
  addLimbs(page, at, row, from + column.volumeUsd, 2)
  addLimbs(page, at + nativeOffset, row, from + column.volumeNative, 3)
  page[at + countOffset]! += row[from + column.count]!
}
