import { endedKlineColumns, endedKlineColumn as K, readKlineRow } from '../model/endedKlines.ts'
import { type Kline, klineIntervalsS, klineStartS } from '../model/kline.ts'
import type { KlineRows } from './klineRows.ts'
import { addLimbs, addTo2, addTo3, Limbs3 } from './limbs.ts'
import { pairColumn as P, pairPart } from './pairTable.ts'
import { RowLog } from './rowLog.ts'
import { largePageDoubles, RowTable } from './rowTable.ts'
import type { Trade } from './trade.ts'
import type { UndoLog } from './undoLog.ts'

/** Parts of a row that are saved apart. */
const part = { place: 0, trades: 1 } as const

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
const columns = 18
const partWidths = [2, 16] as const
const queued = { start: 0, row: 1 } as const
const queuedColumns = 2
const levels = klineIntervalsS.length

/**
 * The open klines of all pairs, and the queue per interval in which they come to their end.
 *
 * Intervals nest, so a trade is written once, into the pair's first row, that of the shortest. When
 * that ends, the row becomes part of the next longer kline: it takes in the row that is there, or
 * simply moves up. An open kline is all rows of its pair up to its interval, and a pair that trades
 * rarely has one row. The first row stays where it is while the pair has any, so the queues name it.
 */
export class Klines {
  readonly rows: RowTable
  readonly queues: readonly RowLog[]
  /** Bucket starts of the block being applied, by interval. */
  private readonly starts = new Float64Array(levels)
  private readonly native = new Limbs3()
  private readonly read = new Float64Array(endedKlineColumns)
  private readonly pairs: RowTable

  constructor(undo: UndoLog, pairs: RowTable) {
    this.pairs = pairs
    this.rows = new RowTable(undo, partWidths, largePageDoubles)
    this.queues = klineIntervalsS.map(() => new RowLog(undo, queuedColumns))
  }

  /** Closes what time has ended, oldest first, shortest interval first, at most `closesMax`. */
  startBlock(timeS: number, closesMax: number, ended: KlineRows): void {
    const { rows, starts } = this
    let left = closesMax
    for (let level = 0; level < levels; level += 1) {
      const intervalS = klineIntervalsS[level]!
      const startNowS = klineStartS(timeS, intervalS)
      starts[level] = startNowS
      const queue = this.queues[level]!
      for (; left > 0 && queue.head < queue.tail; left -= 1) {
        const page = queue.page(queue.head)
        const at = queue.at(queue.head)
        const startS = page[at]!
        if (startS >= startNowS) break
        const row = page[at + queued.row]!
        queue.head += 1
        const lastS = rows.page(row)[rows.at(row) + column.lastTradeAtS]!
        // Else a later trade of the pair has ended it before.
        if (lastS >= startS && lastS < startS + intervalS) this.end(row, level, startS, ended)
      }
    }
  }

  /** Call before the pair's close and time are set to this trade's. The market part must be saved. */
  trade(pair: Float64Array, at: number, trade: Readonly<Trade>, ended: KlineRows): void {
    const timeS = this.starts[0]!
    const isNew = pair[at + P.lastTradeAtS]! < timeS
    if (isNew) this.open(pair, at, trade.pairRow, ended)
    const { limbs } = this.native
    this.native.setNumber(trade.nativeRaw)
    const row = pair[at + P.kline]!
    if (trade.isFirst && !isNew) this.rows.save(row, part.trades)
    const page = this.rows.page(row)
    const to = this.rows.at(row)
    page[to + column.lastTradeAtS] = timeS
    if (trade.priceUsd !== 0) {
      stretch(page, to + column.openUsd, trade.priceUsd)
      page[to + column.closeUsd] = trade.priceUsd
    }
    if (trade.priceNative !== 0) {
      stretch(page, to + column.openNative, trade.priceNative)
      page[to + column.closeNative] = trade.priceNative
    }
    addTo2(page, to + column.volumeUsd, trade.usdE8)
    addTo3(page, to + column.volumeNative, limbs[0]!, limbs[1]!, limbs[2]!)
    page[to + column.count]! += 1
  }

  find(pairId: number, interval: number): Kline | null {
    const { read, rows } = this
    let row = this.pairs.page(pairId + 1)[this.pairs.at(pairId + 1) + P.kline]!
    if (row === 0 || rows.page(row)[rows.at(row)]! > interval) return null
    const lastS = rows.page(row)[rows.at(row) + column.lastTradeAtS]!
    write(read, 0, interval, klineStartS(lastS, klineIntervalsS[interval]!), rows, row)
    for (;;) {
      row = rows.page(row)[rows.at(row) + column.next]!
      if (row === 0) break
      const page = rows.page(row)
      const from = rows.at(row)
      if (page[from]! > interval) break
      takeInEarlier(read, K.usdOpen, page, from + column.openUsd)
      takeInEarlier(read, K.nativeOpen, page, from + column.openNative)
      addLimbs(read, K.volumeUsd, page, from + column.volumeUsd, 2)
      addLimbs(read, K.volumeNative, page, from + column.volumeNative, 3)
      read[K.count]! += page[from + column.count]!
    }
    return readKlineRow(read, 0)
  }

  /** The pair's first trade in a bucket of the shortest interval, and maybe of longer ones. */
  private open(pair: Float64Array, at: number, pairRow: number, ended: KlineRows): void {
    const { starts, rows } = this
    const lastS = pair[at + P.lastTradeAtS]!
    let fresh = 1
    while (fresh < levels && lastS < starts[fresh]!) fresh += 1
    const old = pair[at + P.kline]!
    if (old !== 0)
      for (let level = rows.page(old)[rows.at(old)]!; level < fresh; level += 1)
        this.end(old, level, klineStartS(lastS, klineIntervalsS[level]!), ended)
    const row = this.firstRow(pair[at + P.kline]!)
    pair[at + P.kline] = row
    const page = rows.page(row)
    const to = rows.at(row)
    page[to + column.pair] = pairRow
    const closeUsd = pair[at + P.closeUsd]!
    const closeNative = pair[at + P.closeNative]!
    page[to + column.closeUsd] = closeUsd
    page[to + column.closeNative] = closeNative
    for (let price = column.openUsd; price <= column.lowUsd; price += 1) page[to + price] = closeUsd
    for (let price = column.openNative; price <= column.lowNative; price += 1)
      page[to + price] = closeNative
    for (let sum = column.volumeUsd; sum < columns; sum += 1) page[to + sum] = 0
    for (let level = 0; level < fresh; level += 1) {
      const queue = this.queues[level]!
      const entry = queue.append()
      const entries = queue.page(entry)
      const entryAt = queue.at(entry)
      entries[entryAt] = starts[level]!
      entries[entryAt + queued.row] = row
    }
  }

  /** A row for new trades in the place of the pair's first one, whose trades move to another. */
  private firstRow(row: number): number {
    const { rows } = this
    const other = rows.alloc()
    if (row === 0) return other
    rows.save(row, part.place)
    rows.save(row, part.trades)
    const page = rows.page(row)
    const from = rows.at(row)
    const otherPage = rows.page(other)
    const to = rows.at(other)
    for (let index = 0; index < columns; index += 1) otherPage[to + index] = page[from + index]!
    page[from] = 0
    page[from + column.next] = other
    return row
  }

  /** Ends a pair's shortest open kline, which is of this level. `row` is the pair's first. */
  private end(row: number, level: number, startS: number, ended: KlineRows): void {
    const { rows } = this
    const to = ended.push()
    write(ended.rows, to, level, startS, rows, row)
    const page = rows.page(row)
    const from = rows.at(row)
    if (level === levels - 1) {
      const pairRow = page[from + column.pair]!
      this.pairs.save(pairRow, pairPart.market)
      this.pairs.page(pairRow)[this.pairs.at(pairRow) + P.kline] = 0
      rows.free(row)
      return
    }
    rows.save(row, part.place)
    page[from] = level + 1
    const next = page[from + column.next]!
    if (next === 0) return
    const earlier = rows.page(next)
    const earlierAt = rows.at(next)
    if (earlier[earlierAt] !== level + 1) return
    rows.save(row, part.trades)
    takeInEarlier(page, from + column.openUsd, earlier, earlierAt + column.openUsd)
    takeInEarlier(page, from + column.openNative, earlier, earlierAt + column.openNative)
    addLimbs(page, from + column.volumeUsd, earlier, earlierAt + column.volumeUsd, 2)
    addLimbs(page, from + column.volumeNative, earlier, earlierAt + column.volumeNative, 3)
    page[from + column.count]! += earlier[earlierAt + column.count]!
    page[from + column.next] = earlier[earlierAt + column.next]!
    rows.free(next)
  }
}

/** A first row in the layout of an ended kline. */
function write(
  out: Float64Array,
  to: number,
  interval: number,
  startS: number,
  rows: RowTable,
  row: number,
): void {
  const page = rows.page(row)
  const from = rows.at(row)
  out[to] = page[from + column.pair]! - 1
  out[to + K.interval] = interval
  out[to + K.startS] = startS
  out[to + K.usdOpen] = page[from + column.openUsd]!
  out[to + K.usdHigh] = page[from + column.highUsd]!
  out[to + K.usdLow] = page[from + column.lowUsd]!
  out[to + K.usdClose] = page[from + column.closeUsd]!
  out[to + K.nativeOpen] = page[from + column.openNative]!
  out[to + K.nativeHigh] = page[from + column.highNative]!
  out[to + K.nativeLow] = page[from + column.lowNative]!
  out[to + K.nativeClose] = page[from + column.closeNative]!
  for (let offset = 0; offset < columns - column.volumeUsd; offset += 1)
    out[to + K.volumeUsd + offset] = page[from + column.volumeUsd + offset]!
}

/** Open, high, low from `at` take in a price; the first one opens when there was none before. */
function stretch(page: Float64Array, at: number, price: number): void {
  if (page[at] === 0) {
    page[at] = price
    page[at + 1] = price
    page[at + 2] = price
  } else if (price > page[at + 1]!) page[at + 1] = price
  else if (price < page[at + 2]!) page[at + 2] = price
}

/** Open, high, low from `at` take in those of earlier trades; 0 where none of them had a price. */
function takeInEarlier(
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
