import { endedKlineColumn, klineRowWidth, readKlineRow } from '../../model/klines/endedKlines.ts'
import { type Kline, klineIntervalsS, klineStartS } from '../../model/klines/kline.ts'
import { addToThreeLimbs, addToTwoLimbs } from '../tables/exactSums.ts'
import { pairColumn, pairPart } from '../tables/pairTable.ts'
import { RowLog } from '../tables/rowLog.ts'
import { columnNames, largePageDoubles, RowTable } from '../tables/rowTable.ts'
import { tokenColumn } from '../tables/tokenTable.ts'
import type { Trade } from '../tables/trade.ts'
import type { UndoLog } from '../tables/undoLog.ts'
import {
  addVolumes,
  type EndedKlineBuffer,
  extendRange,
  mergeEarlierPrices,
  mergeLaterPrices,
  openKlineColumn,
  openKlineColumns,
  openKlineNames,
  openKlinePart,
  openKlinePartWidths,
  writeKline,
} from './klineRows.ts'

// Local alias: V8 inlines fields of a local constant, but not of an imported one.
const K = endedKlineColumn
const column = openKlineColumn
const columns = openKlineColumns
const part = openKlinePart
const P = pairColumn
const T = tokenColumn
const intervalsS = klineIntervalsS

const queued = { start: 0, row: 1 } as const
const queuedColumns = columnNames(queued)
const levels = intervalsS.length
/** Level of a first row whose trades have moved to the next row. */
const vacant = -1

/** Tables whose rows own klines. */
type KlineOwnerTables = {
  pairs: RowTable
  tokens: RowTable
  /**
   * Price series of tokens. As the owner of klines, a series has the number 1 minus the token's
   * row.
   */
  series: RowTable
}

/**
 * The open klines of all pairs, and a queue of kline ends for each interval, ordered by time.
 * Intervals nest, so a trade is written only once, to the pair's first row. When the shortest
 * interval ends, the row becomes part of the next longer kline: it is added to that kline's row, or
 * takes its place. An open kline is the sum of all rows of its pair up to its interval; a pair that
 * trades rarely has one row. Queues refer to the pair's first row, which keeps its number while the
 * pair has open klines; it is vacant once its trades moved to the next row.
 */
export class Klines {
  readonly rows: RowTable
  readonly queues: readonly RowLog[]
  /** Start times of the current block's buckets, by interval. */
  readonly #starts = new Float64Array(levels)
  readonly #readBuffer = new Float64Array(klineRowWidth)
  readonly #owners: KlineOwnerTables

  constructor(undo: UndoLog, owners: KlineOwnerTables) {
    this.#owners = owners
    this.rows = new RowTable(undo, {
      name: 'klines',
      columns: openKlineNames,
      parts: openKlinePartWidths,
      pageDoubles: largePageDoubles,
    })
    this.queues = intervalsS.map(
      (intervalS) => new RowLog(undo, { name: `klineEnds.${intervalS}`, columns: queuedColumns }),
    )
  }

  /** Closes ended klines, oldest first, shortest interval first, at most `closesMax`. */
  startBlock(timeS: number, closesMax: number, ended: EndedKlineBuffer): void {
    const starts = this.#starts
    let left = closesMax
    for (let level = 0; level < levels; level += 1) {
      const startNowS = klineStartS(timeS, intervalsS[level]!)
      starts[level] = startNowS
      const queue = this.queues[level]!
      for (; left > 0 && isQueueHeadEnded(queue, startNowS); left -= 1)
        this.#closeQueued(queue, level, ended)
    }
  }

  #closeQueued(queue: RowLog, level: number, ended: EndedKlineBuffer): void {
    const { rows } = this
    const page = queue.page(queue.head)
    const at = queue.at(queue.head)
    queue.head += 1
    const startS = page[at]!
    const row = page[at + queued.row]!
    const lastS = rows.page(row)[rows.at(row) + column.lastTradeAtS]!
    // False if a later trade of the pair has already ended this kline.
    if (lastS >= startS && lastS < startS + intervalsS[level]!)
      this.#closeKline(row, level, startS, ended)
  }

  /**
   * Adds a trade to the pair's klines. Must be called before the pair's close and time are set to
   * this trade's; the market part of the pair's row must be saved.
   */
  trade(pair: Float64Array, at: number, trade: Readonly<Trade>, ended: EndedKlineBuffer): void {
    const timeS = this.#starts[0]!
    // A pair whose trades had no price so far has no open kline, whatever the time of its last
    // trade.
    const isNew = pair[at + P.lastTradeAtS]! < timeS || pair[at + P.kline] === 0
    if (isNew) this.#open(pair, at, trade.pairRow, ended)
    const { limbs } = trade.native
    const row = pair[at + P.kline]!
    if (trade.isFirst && !isNew) this.rows.save(row, part.trades)
    const page = this.rows.page(row)
    const to = this.rows.at(row)
    page[to + column.lastTradeAtS] = timeS
    if (trade.priceUsd !== 0) {
      extendRange(page, to + column.openUsd, trade.priceUsd)
      page[to + column.closeUsd] = trade.priceUsd
    }
    if (trade.priceNative !== 0) {
      extendRange(page, to + column.openNative, trade.priceNative)
      page[to + column.closeNative] = trade.priceNative
    }
    addToTwoLimbs(page, to + column.volumeUsd, trade.usdE8)
    addToThreeLimbs(page, to + column.volumeNative, limbs[0]!, limbs[1]!, limbs[2]!)
    page[to + column.count]! += 1
  }

  /**
   * Open kline of an interval; `first` is the first row of the pair or series. Null if none is
   * open.
   */
  openKline(first: number, interval: number): Kline | null {
    const { rows } = this
    const readBuffer = this.#readBuffer
    if (first === 0) return null
    let row = this.#shortest(first)
    if (rows.page(row)[rows.at(row)]! > interval) return null
    const lastS = rows.page(first)[rows.at(first) + column.lastTradeAtS]!
    writeKline(readBuffer, 0, interval, klineStartS(lastS, intervalsS[interval]!), rows, first, row)
    for (;;) {
      row = rows.page(row)[rows.at(row) + column.next]!
      if (row === 0) break
      const page = rows.page(row)
      const from = rows.at(row)
      if (page[from]! > interval) break
      mergeEarlierPrices(readBuffer, K.usdOpen, page, from + column.openUsd)
      mergeEarlierPrices(readBuffer, K.nativeOpen, page, from + column.openNative)
      addVolumes(readBuffer, K.volumeUsd, page, from)
    }
    return readKlineRow(readBuffer, 0)
  }

  /**
   * Copies a pair's open klines of the current buckets for another owner, a token series. Klines
   * whose time is over stay the pair's. Returns the first row of the copy; 0 if nothing is open.
   */
  copyOpenKlines(first: number, owner: number): number {
    const { rows } = this
    const starts = this.#starts
    if (first === 0) return 0
    const lastS = rows.page(first)[rows.at(first) + column.lastTradeAtS]!
    let fresh = 0
    while (fresh < levels && lastS < starts[fresh]!) fresh += 1
    if (fresh === levels) return 0
    const shortest = this.#shortest(first)
    const copied = this.#copyRow(shortest)
    const page = rows.page(copied)
    const to = rows.at(copied)
    page[to] = fresh
    page[to + column.pair] = owner
    for (let place = column.lastTradeAtS; place <= column.closeNative; place += 1)
      page[to + place] = rows.page(first)[rows.at(first) + place]!
    let last = copied
    let row = rows.page(shortest)[rows.at(shortest) + column.next]!
    for (; row !== 0; row = rows.page(row)[rows.at(row) + column.next]!) {
      const from = rows.page(row)
      const fromAt = rows.at(row)
      if (from[fromAt]! <= fresh) {
        mergeEarlierPrices(page, to + column.openUsd, from, fromAt + column.openUsd)
        mergeEarlierPrices(page, to + column.openNative, from, fromAt + column.openNative)
        addVolumes(page, to + column.volumeUsd, from, fromAt)
      } else {
        const next = this.#copyRow(row)
        rows.page(last)[rows.at(last) + column.next] = next
        last = next
      }
    }
    for (let level = fresh; level < levels; level += 1) this.#queue(level, copied)
    return copied
  }

  #copyRow(row: number): number {
    const { rows } = this
    const copied = rows.alloc()
    const page = rows.page(copied)
    const to = rows.at(copied)
    const from = rows.page(row)
    const fromAt = rows.at(row)
    for (let place = 0; place < columns; place += 1) page[to + place] = from[fromAt + place]!
    page[to + column.next] = 0
    return copied
  }

  /** Queues the end of the kline that is open now. */
  #queue(level: number, row: number): void {
    const queue = this.queues[level]!
    const entry = queue.append()
    const entries = queue.page(entry)
    const entryAt = queue.at(entry)
    entries[entryAt] = this.#starts[level]!
    entries[entryAt + queued.row] = row
  }

  /** Row of the pair's shortest open kline. */
  #shortest(first: number): number {
    const page = this.rows.page(first)
    const at = this.rows.at(first)
    return page[at] === vacant ? page[at + column.next]! : first
  }

  /**
   * Opens a kline of the shortest interval for a pair's trade, and of longer intervals if theirs
   * are over.
   */
  #open(pair: Float64Array, at: number, pairRow: number, ended: EndedKlineBuffer): void {
    const { rows } = this
    const starts = this.#starts
    const old = pair[at + P.kline]!
    const lastS = old === 0 ? 0 : pair[at + P.lastTradeAtS]!
    let fresh = 1
    while (fresh < levels && lastS < starts[fresh]!) fresh += 1
    if (old !== 0) {
      const shortest = this.#shortest(old)
      for (let level = rows.page(shortest)[rows.at(shortest)]!; level < fresh; level += 1)
        this.#closeKline(old, level, klineStartS(lastS, intervalsS[level]!), ended)
    }
    const row = this.#freshFirstRow(pair[at + P.kline]!)
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
    for (let level = 0; level < fresh; level += 1) this.#queue(level, row)
  }

  /** Returns the pair's first row, ready for new trades; its current trades move to another row. */
  #freshFirstRow(row: number): number {
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

  /** Ends the pair's shortest open kline, which is of this level. */
  #closeKline(first: number, level: number, startS: number, ended: EndedKlineBuffer): void {
    const { rows } = this
    const row = this.#shortest(first)
    const to = ended.push()
    writeKline(ended.rows, to, level, startS, rows, first, row)
    if (level === levels - 1) {
      this.#closeLastKline(first, row)
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
    mergeLaterPrices(earlier, earlierAt + column.openUsd, page, from + column.openUsd)
    mergeLaterPrices(earlier, earlierAt + column.openNative, page, from + column.openNative)
    addVolumes(earlier, earlierAt + column.volumeUsd, page, from)
    rows.save(first, part.place)
    if (row === first) page[from] = vacant
    else {
      rows.page(first)[rows.at(first) + column.next] = next
      rows.free(row)
    }
  }

  /** Clears the kline row of a pair or series that has no open kline any more. */
  #clearOwner(owner: number): void {
    const { pairs, tokens, series } = this.#owners
    const table = owner > 0 ? pairs : series
    const tokenRow = 1 - owner
    const row = owner > 0 ? owner : tokens.page(tokenRow)[tokens.at(tokenRow) + T.series]!
    table.save(row, pairPart.market)
    table.page(row)[table.at(row) + P.kline] = 0
  }

  /** Ends the last open kline of a pair and frees its rows. */
  #closeLastKline(first: number, row: number): void {
    const { rows } = this
    this.#clearOwner(rows.page(first)[rows.at(first) + column.pair]!)
    if (row !== first) rows.free(row)
    rows.free(first)
  }
}

function isQueueHeadEnded(queue: RowLog, startNowS: number): boolean {
  return queue.head < queue.tail && queue.page(queue.head)[queue.at(queue.head)]! < startNowS
}
