import { type Kline, klineIntervalsS, klineStartS } from '../model/kline.ts'
import type { KlineEvent } from '../model/marketEvent.ts'
import { klineColumn as column, klineColumns as columns, KlineMaker } from './klineMaker.ts'
import { addTo2, addTo3, Limbs3 } from './limbs.ts'
import { pairColumn as P } from './pairTable.ts'
import { RowQueue } from './rowQueue.ts'
import { RowTable } from './rowTable.ts'
import type { Trade } from './trade.ts'
import type { UndoLog } from './undoLog.ts'

// Up to an hour, and longer. A pair that stopped trading soon gives the first row back.
const groups = [
  { first: 0, count: 6, pairColumn: P.klineShort },
  { first: 6, count: 4, pairColumn: P.klineLong },
] as const

/** The open klines of all pairs, and the queue per interval in which they come to their end. */
export class Klines {
  readonly tables: readonly [RowTable, RowTable]
  readonly queues: readonly RowQueue[]
  /** Bucket starts of the block being applied, by interval. */
  private readonly starts = new Float64Array(klineIntervalsS.length)
  private readonly native = new Limbs3()
  private readonly maker = new KlineMaker()
  private readonly pairs: RowTable

  constructor(undo: UndoLog, pairs: RowTable) {
    this.pairs = pairs
    this.tables = [
      new RowTable(undo, groups[0].count * columns),
      new RowTable(undo, groups[1].count * columns),
    ]
    this.queues = klineIntervalsS.map(() => new RowQueue(undo))
  }

  /** Closes what time has ended, oldest first, shortest interval first, at most `closesMax`. */
  startBlock(timeS: number, closesMax: number, closed: KlineEvent[]): void {
    let left = closesMax
    klineIntervalsS.forEach((intervalS, interval) => {
      this.starts[interval] = klineStartS(timeS, intervalS)
      const queue = this.queues[interval]!
      while (left > 0 && queue.head !== 0 && queue.headKey < this.starts[interval]!) {
        const startS = queue.headKey
        const pairRow = queue.shift()
        left -= 1
        this.end(pairRow, interval, startS, closed)
      }
    })
  }

  /** Call before the pair's close is set to this trade's price. The pair's row must be touched. */
  trade(pair: Float64Array, at: number, trade: Readonly<Trade>, closed: KlineEvent[]): void {
    this.native.setNumber(trade.nativeRaw)
    this.tradeGroup(0, pair, at, trade, closed)
    this.tradeGroup(1, pair, at, trade, closed)
  }

  private tradeGroup(
    group: 0 | 1,
    pair: Float64Array,
    at: number,
    trade: Readonly<Trade>,
    closed: KlineEvent[],
  ): void {
    const { first, count, pairColumn } = groups[group]
    const { starts } = this
    const { limbs } = this.native
    const native0 = limbs[0]!
    const native1 = limbs[1]!
    const native2 = limbs[2]!
    const { priceUsd, priceNative, usdE8 } = trade
    const table = this.tables[group]
    let row = pair[at + pairColumn]!
    if (row === 0) {
      row = table.alloc()
      pair[at + pairColumn] = row
    } else table.touch(row)
    const page = table.page(row)
    let to = table.at(row)
    for (let interval = first; interval < first + count; interval += 1) {
      if (page[to] !== starts[interval]) {
        if (this.isOpen(page, to, interval))
          closed.push(this.maker.event(trade.pairId, interval, page, to, pair, at))
        this.open(page, to, interval, trade.pairRow, pair, at)
      }
      if (priceUsd !== 0) stretch(page, to + column.openUsd, priceUsd)
      if (priceNative !== 0) stretch(page, to + column.openNative, priceNative)
      addTo2(page, to + column.volumeUsd, usdE8)
      addTo3(page, to + column.volumeNative, native0, native1, native2)
      page[to + column.count]! += 1
      to += columns
    }
  }

  find(pairId: number, interval: number): Kline | null {
    const pair = this.pairs.page(pairId + 1)
    const at = this.pairs.at(pairId + 1)
    const group = interval < groups[1].first ? 0 : 1
    const { first, pairColumn } = groups[group]
    const row = pair[at + pairColumn]!
    if (row === 0) return null
    const page = this.tables[group].page(row)
    const from = this.tables[group].at(row) + (interval - first) * columns
    return this.isOpen(page, from, interval) ? this.maker.kline(page, from, pair, at) : null
  }

  private open(
    page: Float64Array,
    to: number,
    interval: number,
    pairRow: number,
    pair: Float64Array,
    at: number,
  ): void {
    page.fill(0, to, to + columns)
    page[to] = this.starts[interval]!
    const closeUsd = pair[at + P.closeUsd]!
    const closeNative = pair[at + P.closeNative]!
    page[to + column.openUsd] = closeUsd
    page[to + column.highUsd] = closeUsd
    page[to + column.lowUsd] = closeUsd
    page[to + column.openNative] = closeNative
    page[to + column.highNative] = closeNative
    page[to + column.lowNative] = closeNative
    page[to + column.entry] = this.queues[interval]!.push(this.starts[interval]!, pairRow)
  }

  private isOpen(page: Float64Array, from: number, interval: number): boolean {
    return page[from + column.entry]! > this.queues[interval]!.shifted
  }

  /** Ends a kline that time has passed, unless the pair's own trade ended it before. */
  private end(pairRow: number, interval: number, startS: number, closed: KlineEvent[]): void {
    const group = interval < groups[1].first ? 0 : 1
    const { first, count, pairColumn } = groups[group]
    const pair = this.pairs.page(pairRow)
    const at = this.pairs.at(pairRow)
    const row = pair[at + pairColumn]!
    if (row === 0) return
    const table = this.tables[group]
    const page = table.page(row)
    const to = table.at(row) + (interval - first) * columns
    if (page[to] !== startS) return
    closed.push(this.maker.event(pairRow - 1, interval, page, to, pair, at))
    // The longest of the group ends last: the others were drained before it in this very block.
    if (interval !== first + count - 1) return
    table.free(row)
    this.pairs.touch(pairRow)
    pair[at + pairColumn] = 0
  }
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
