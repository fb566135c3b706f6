import { endedKlineColumn, endedKlineColumns, readKlineRow } from '../../model/endedKlines.ts'
import { type Kline, klineIntervalsS, klineStartS } from '../../model/kline.ts'
import type { Trade } from '../prices/trade.ts'
import { columnNames } from '../tables/columnNames.ts'
import { addLimbs, addTo2, addTo3 } from '../tables/exactSums.ts'
import { pairColumn, pairPart } from '../tables/pairTable.ts'
import { RowLog } from '../tables/rowLog.ts'
import { largePageDoubles, RowTable } from '../tables/rowTable.ts'
import type { UndoLog } from '../tables/undoLog.ts'
import type { KlineRows } from './klineRows.ts'

// Bindings of its own: fields of an imported constant are read at each use, those of a local one are part of the code.
const K = endedKlineColumn
const P = pairColumn
const intervalsS = klineIntervalsS

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
const names = columnNames(column, { volumeUsd: 2, volumeNative: 3 })
const columns = names.length
const partWidths = [2, 16] as const
const queued = { start: 0, row: 1 } as const
const queuedColumns = columnNames(queued)
const levels = intervalsS.length
/** In the place of a first row's level. */
const vacant = -1

/**
 * The open klines of all pairs, and the queue per interval in which they come to their end.
 *
 * Intervals nest, so a trade is written once, into the pair's first row. When the shortest interval
 * ends, the row becomes part of the next longer kline: it goes into the row that is there, or simply
 * moves up. An open kline is all rows of its pair up to its interval, and a pair that trades rarely has
 * one row. The first row stays where it is while the pair has any, so the queues name it; it is vacant
 * once its trades went into the next row.
 */
export class Klines {
  readonly rows: RowTable
  readonly queues: readonly RowLog[]
  /** Bucket starts of the block being applied, by interval. */
  private readonly starts = new Float64Array(levels)
  private readonly read = new Float64Array(endedKlineColumns)
  private readonly pairs: RowTable

  constructor(undo: UndoLog, pairs: RowTable) {
    this.pairs = pairs
    this.rows = new RowTable(undo, {
      name: 'klines',
      columns: names,
      parts: partWidths,
      pageDoubles: largePageDoubles,
    })
    this.queues = intervalsS.map(
      (intervalS) => new RowLog(undo, { name: `klineEnds.${intervalS}`, columns: queuedColumns }),
    )
  }

  /** Closes what time has ended, oldest first, shortest interval first, at most `closesMax`. */
  startBlock(timeS: number, closesMax: number, ended: KlineRows): void {
    const { starts } = this
    let left = closesMax
    for (let level = 0; level < levels; level += 1) {
      const startNowS = klineStartS(timeS, intervalsS[level]!)
      starts[level] = startNowS
      const queue = this.queues[level]!
      for (; left > 0 && isHeadEnded(queue, startNowS); left -= 1)
        this.endQueued(queue, level, ended)
    }
  }

  private endQueued(queue: RowLog, level: number, ended: KlineRows): void {
    const { rows } = this
    const page = queue.page(queue.head)
    const at = queue.at(queue.head)
    queue.head += 1
    const startS = page[at]!
    const row = page[at + queued.row]!
    const lastS = rows.page(row)[rows.at(row) + column.lastTradeAtS]!
    // Else a later trade of the pair has ended it before.
    if (lastS >= startS && lastS < startS + intervalsS[level]!) this.end(row, level, startS, ended)
  }

  /** Call before the pair's close and time are set to this trade's. The market part must be saved. */
  trade(pair: Float64Array, at: number, trade: Readonly<Trade>, ended: KlineRows): void {
    const timeS = this.starts[0]!
    // A pair that traded without a price has no kline of its last trade.
    const isNew = pair[at + P.lastTradeAtS]! < timeS || pair[at + P.kline] === 0
    if (isNew) this.open(pair, at, trade.pairRow, ended)
    const { limbs } = trade.native
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
    const first = this.pairs.page(pairId + 1)[this.pairs.at(pairId + 1) + P.kline]!
    if (first === 0) return null
    let row = this.shortest(first)
    if (rows.page(row)[rows.at(row)]! > interval) return null
    const lastS = rows.page(first)[rows.at(first) + column.lastTradeAtS]!
    write(read, 0, interval, klineStartS(lastS, intervalsS[interval]!), rows, first, row)
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

  /** The row of the shortest open kline of the pair whose first row it is. */
  private shortest(first: number): number {
    const page = this.rows.page(first)
    const at = this.rows.at(first)
    return page[at] === vacant ? page[at + column.next]! : first
  }

  /** The pair's first trade in a bucket of the shortest interval, and maybe of longer ones. */
  private open(pair: Float64Array, at: number, pairRow: number, ended: KlineRows): void {
    const { starts, rows } = this
    const old = pair[at + P.kline]!
    const lastS = old === 0 ? 0 : pair[at + P.lastTradeAtS]!
    let fresh = 1
    while (fresh < levels && lastS < starts[fresh]!) fresh += 1
    if (old !== 0) {
      const shortest = this.shortest(old)
      for (let level = rows.page(shortest)[rows.at(shortest)]!; level < fresh; level += 1)
        this.end(old, level, klineStartS(lastS, intervalsS[level]!), ended)
    }
    const row = this.firstRow(pair[at + P.kline]!)
    pair[at + P.kline] = row
    const page = rows.page(row)
    const to = rows.at(row)
    page[to + column.pair] = pairRow
    const closeUsd = pair[at + P.closeUsd]!
    const closeNative = pair[at + P.closeNative]!
    page[to + column.closeUsd] = closeUsd
    page[to + column.closeNative] = closeNative
    page[to + column.openUsd] = closeUsd
    page[to + column.highUsd] = closeUsd
    page[to + column.lowUsd] = closeUsd
    page[to + column.openNative] = closeNative
    page[to + column.highNative] = closeNative
    page[to + column.lowNative] = closeNative
    for (let sum = to + column.volumeUsd; sum < to + columns; sum += 1) page[sum] = 0
    for (let level = 0; level < fresh; level += 1) {
      const queue = this.queues[level]!
      const entry = queue.append()
      const entries = queue.page(entry)
      const entryAt = queue.at(entry)
      entries[entryAt] = starts[level]!
      entries[entryAt + queued.row] = row
    }
  }

  /** The pair's first row, ready for new trades. Those that are in it move to another. */
  private firstRow(row: number): number {
    const { rows } = this
    if (row === 0) return rows.alloc()
    rows.save(row, part.place)
    rows.save(row, part.trades)
    const page = rows.page(row)
    const from = rows.at(row)
    if (page[from] !== vacant) {
      const other = rows.alloc()
      const otherPage = rows.page(other)
      const to = rows.at(other)
      for (let index = 0; index < columns; index += 1) otherPage[to + index] = page[from + index]!
      page[from + column.next] = other
    }
    page[from] = 0
    return row
  }

  /** Ends the shortest open kline, which is of this level, of the pair whose first row it is. */
  private end(first: number, level: number, startS: number, ended: KlineRows): void {
    const { rows } = this
    const row = this.shortest(first)
    const to = ended.push()
    write(ended.rows, to, level, startS, rows, first, row)
    if (level === levels - 1) {
      this.endLast(first, row)
      return
    }
    const page = rows.page(row)
    const from = rows.at(row)
    const next = page[from + column.next]!
    if (next === 0 || rows.page(next)[rows.at(next)] !== level + 1) {
      rows.save(row, part.place)
      page[from] = level + 1
      return
    }
    rows.save(next, part.trades)
    const earlier = rows.page(next)
    const earlierAt = rows.at(next)
    takeInLater(earlier, earlierAt + column.openUsd, page, from + column.openUsd)
    takeInLater(earlier, earlierAt + column.openNative, page, from + column.openNative)
    addLimbs(earlier, earlierAt + column.volumeUsd, page, from + column.volumeUsd, 2)
    addLimbs(earlier, earlierAt + column.volumeNative, page, from + column.volumeNative, 3)
    earlier[earlierAt + column.count]! += page[from + column.count]!
    rows.save(first, part.place)
    if (row === first) page[from] = vacant
    else {
      rows.page(first)[rows.at(first) + column.next] = next
      rows.free(row)
    }
  }

  /** The pair has no open kline any more. */
  private endLast(first: number, row: number): void {
    const { rows } = this
    const pairRow = rows.page(first)[rows.at(first) + column.pair]!
    this.pairs.save(pairRow, pairPart.market)
    this.pairs.page(pairRow)[this.pairs.at(pairRow) + P.kline] = 0
    if (row !== first) rows.free(row)
    rows.free(first)
  }
}

/** A row in the layout of an ended kline; pair and close are in the pair's first row. */
function write(
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

/** Open, high, low from `at` take in those of later trades; 0 where none had a price yet. */
function takeInLater(page: Float64Array, at: number, later: Float64Array, laterAt: number): void {
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

function isHeadEnded(queue: RowLog, startNowS: number): boolean {
  return queue.head < queue.tail && queue.page(queue.head)[queue.at(queue.head)]! < startNowS
}
