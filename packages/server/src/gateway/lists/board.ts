import type { GatewayChain } from '../chain/gatewayChain.ts'
import { type Column, SharedColumns } from './boardColumns.ts'
import { type BoardSubject, WordCodes } from './boardSubject.ts'
import { ZoneBounds } from './scan/zones.ts'

/** A condition on a row: the column's value is between `min` and `max`, both included. */
export type ColumnRange = { column: number; min: number; max: number }

export type RankedRow = { id: number; value: number }

/**
 * Selects rows within all ranges, ordered by a column, largest first; equal values are ordered by
 * id.
 */
export type BoardQuery = {
  ranges: readonly ColumnRange[]
  column: number
  /** -1 orders smallest first: values are compared with their sign inverted. */
  sign: 1 | -1
  limit: number
  /** Only rows ordered after this row; null for all rows. */
  after: RankedRow | null
}

const growth = 1.5
const sizeMin = 1_024

/**
 * Places shared by many rows, to save memory. `unknown`: rows not read yet, or not listed anywhere.
 * `quiet`: trading columns of rows without a trade in 24 hours.
 */
const unknown = 0
const quiet = 1
const notRead = -2

/**
 * Sortable figures of all tokens or pairs of a chain, as columns of numbers. Column storage lets a
 * filter scan a million rows within milliseconds.
 */
export class ScreenerBoard {
  readonly words = new WordCodes()
  readonly zones: ZoneBounds
  readonly #chain: GatewayChain
  readonly #subject: BoardSubject
  readonly #now: SharedColumns
  /**
   * Columns that only trades change, followed by two columns per row: block of the newest trade,
   * and time at which the figures expire.
   */
  readonly #trading: SharedColumns
  readonly #tradedBlock: number
  readonly #changesAtS: number
  readonly #row: Float64Array

  constructor(chain: GatewayChain, subject: BoardSubject) {
    this.#chain = chain
    this.#subject = subject
    const { from, to } = subject.tradingColumns
    this.#tradedBlock = to - from
    this.#changesAtS = this.#tradedBlock + 1
    this.#now = new SharedColumns(subject.columnCount - (to - from), [Number.NaN])
    this.#trading = new SharedColumns(to - from + 2, [Number.NaN, 0])
    this.zones = new ZoneBounds(subject.columnCount)
    this.#row = new Float64Array(subject.columnCount)
  }

  /** Current number of tokens or pairs. */
  get count(): number {
    return this.#subject.count(this.#chain)
  }

  /** Number of rows that the board has space for, which are the rows that can be scanned. */
  get readCount(): number {
    return Math.min(this.count, this.#now.length)
  }

  /**
   * Invalidates the trading columns of all rows after a revert, because ids may belong to other
   * rows now.
   */
  invalidateAll(): void {
    this.#trading.fillOwn(this.#tradedBlock, notRead)
  }

  /** Invalidates the trading columns of one row, so that its next refresh reads everything. */
  invalidate(id: number): void {
    if (this.#trading.hasOwn(id))
      this.#trading.set(this.#trading.placeOf(id), this.#tradedBlock, notRead)
  }

  refresh(id: number, nowS: number): void {
    const row = this.#row
    const chain = this.#chain
    const subject = this.#subject
    if (id >= this.#now.length) this.#grow(id + 1)
    if (!subject.readCurrent(chain, id, this.words, row)) {
      this.#drop(id)
      return
    }
    const { from, to } = subject.tradingColumns
    if (!this.#isTradingKnown(id, nowS))
      this.#setTrading(id, subject.readTrading(chain, id, nowS, row))
    const place = this.#now.own(id)
    for (let column = 0; column < row.length; column += 1) {
      if (column >= from && column < to) continue
      this.#now.set(place, this.#partOf(column), row[column]!)
      this.zones.widen(id, column, row[column]!)
    }
    this.#score(id, nowS)
  }

  /** Ids of rows that had a trade within 24 hours when last read. */
  tradedIds(): Iterable<number> {
    return this.#trading.owners()
  }

  isTraded(id: number): boolean {
    return this.#trading.hasOwn(id)
  }

  /**
   * Updates a traded row: re-reads it after a new trade, otherwise only updates its score for the
   * passed time.
   */
  refreshTraded(id: number, nowS: number): void {
    if (id >= this.count) this.#drop(id)
    else if (!this.#isTradingKnown(id, nowS)) this.refresh(id, nowS)
    else this.#score(id, nowS)
  }

  /** Recomputes the bounds of the row's zone, which `refresh` only ever widens. */
  tighten(id: number): void {
    for (let column = 0; column < this.#row.length; column += 1)
      this.zones.tighten(id, column, this.column(column), this.#now.length)
  }

  /** Returns a column of all rows. The returned object is outdated once the board grows. */
  column(column: number): Column {
    return this.#columnsOf(column).column(this.#partOf(column))
  }

  value(id: number, column: number): number {
    return this.#columnsOf(column).value(id, this.#partOf(column))
  }

  isWithin(id: number, ranges: readonly ColumnRange[]): boolean {
    for (const { column, min, max } of ranges) {
      const value = this.value(id, column)
      if (!(value >= min && value <= max)) return false
    }
    return true
  }

  #isTrading(column: number): boolean {
    const { from, to } = this.#subject.tradingColumns
    return column >= from && column < to
  }

  #columnsOf(column: number): SharedColumns {
    return this.#isTrading(column) ? this.#trading : this.#now
  }

  /** Returns the index of a column within its group, `now` or `trading`. */
  #partOf(column: number): number {
    const { from, to } = this.#subject.tradingColumns
    if (column < from) return column
    return column < to ? column - from : column - (to - from)
  }

  #isTradingKnown(id: number, nowS: number): boolean {
    const trading = this.#trading
    return (
      trading.hasOwn(id) &&
      trading.value(id, this.#tradedBlock) === this.#subject.lastTradeBlock(this.#chain, id) &&
      nowS < trading.value(id, this.#changesAtS)
    )
  }

  #setTrading(id: number, changesAtS: number): void {
    const { zones } = this
    const row = this.#row
    const trading = this.#trading
    const { from, to } = this.#subject.tradingColumns
    const isQuiet = changesAtS === Number.POSITIVE_INFINITY && isNothing(row, from, to)
    if (isQuiet && trading.placeOf(id) === quiet) return
    for (let column = from; column < to; column += 1) zones.widen(id, column, row[column]!)
    if (isQuiet) {
      trading.share(id, quiet)
      return
    }
    const place = trading.own(id)
    for (let column = from; column < to; column += 1)
      trading.set(place, column - from, row[column]!)
    trading.set(place, this.#tradedBlock, this.#subject.lastTradeBlock(this.#chain, id))
    trading.set(place, this.#changesAtS, changesAtS)
  }

  #score(id: number, nowS: number): void {
    const { scored } = this.#subject
    if (scored === undefined) return
    // A row without trades has a NaN score, which excludes it from orders by score.
    const interest = this.isTraded(id) ? this.value(id, scored.interest) : Number.NaN
    const score = scored.of(interest, this.value(id, 0), nowS)
    this.#now.set(this.#now.placeOf(id), this.#partOf(scored.column), score)
    this.zones.widen(id, scored.column, score)
  }

  #drop(id: number): void {
    this.#now.share(id, unknown)
    this.#trading.share(id, unknown)
  }

  #grow(count: number): void {
    const length = Math.ceil(Math.max(count, this.#now.length * growth, sizeMin))
    this.#now.grow(length)
    this.#trading.grow(length)
    this.zones.grow(length)
  }
}

function isNothing(row: Float64Array, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (row[at] !== 0) return false
  return true
}
