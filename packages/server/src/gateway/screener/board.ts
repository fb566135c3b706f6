import type { GatewayChain } from '../gatewayChain.ts'
import { type BoardSubject, WordCodes } from './boardSubject.ts'
import { Zones } from './scan/zones.ts'
import { type Column, TradingColumns } from './tradingColumns.ts'

/** What a row must be: a column between two bounds, both of them in it. */
export type Range = { column: number; min: number; max: number }

export type Ranked = { id: number; value: number }

/** Rows within all ranges, those with the largest values of a column first; equal ones by id. */
export type BoardQuery = {
  ranges: readonly Range[]
  column: number
  /** -1: the smallest first, by values with the sign turned. */
  sign: 1 | -1
  limit: number
  /** Only those behind this one; null: all. */
  after: Ranked | null
}

const growth = 1.5
const sizeMin = 1_024

/** What the tokens or pairs of a chain are selected by, in columns of numbers: a filter goes over a million of them within milliseconds. */
export class Board {
  readonly words = new WordCodes()
  readonly zones: Zones
  private readonly chain: GatewayChain
  private readonly subject: BoardSubject
  /** By id; null: those of trading. */
  private columns: (Float64Array | null)[]
  private readonly trading: TradingColumns
  private readonly row: Float64Array

  constructor(chain: GatewayChain, subject: BoardSubject) {
    this.chain = chain
    this.subject = subject
    const { from, to } = subject.tradingColumns
    this.columns = Array.from({ length: subject.columnCount }, (_, column) =>
      column >= from && column < to ? null : new Float64Array(0),
    )
    this.trading = new TradingColumns(to - from)
    this.zones = new Zones(subject.columnCount)
    this.row = new Float64Array(subject.columnCount)
  }

  /** How many there are now. */
  get count(): number {
    return this.subject.count(this.chain)
  }

  /** How many of them have their place here. */
  get readCount(): number {
    return Math.min(this.count, this.trading.length)
  }

  /** Blocks were reverted: ids may be those of others now. */
  forget(): void {
    this.trading.forget()
  }

  /** What is read next of this one is read whole. */
  forgetOne(id: number): void {
    this.trading.forgetOne(id)
  }

  refresh(id: number, nowS: number): void {
    const { row, chain, subject, trading } = this
    if (id >= trading.length) this.grow(id + 1)
    const { columns } = this
    const { from, to } = subject.tradingColumns
    const isPriced = subject.readNow(chain, id, this.words, row)
    const lastTradeBlock = isPriced ? subject.lastTradeBlock(chain, id) : 0
    let isTradingKnown = isPriced && trading.isKnown(id, lastTradeBlock, nowS)
    if (!isPriced) trading.clear(id)
    else if (!isTradingKnown) {
      const changesAtS = subject.readTrading(chain, id, nowS, row)
      isTradingKnown = !trading.set(id, row, from, lastTradeBlock, changesAtS)
    }
    for (let column = 0; column < columns.length; column += 1) {
      if (isTradingKnown && column >= from && column < to) continue
      const data = columns[column]!
      if (data !== null) data[id] = row[column]!
      this.zones.widen(id, column, row[column]!)
    }
  }

  /** Bounds that rows have moved away from since are narrow again, of the zone that this row is in. */
  tighten(id: number): void {
    for (let column = 0; column < this.columns.length; column += 1)
      this.zones.tighten(id, column, this.column(column), this.trading.length)
  }

  /** Of all rows. Another one when the board has grown. */
  column(column: number): Column {
    const data = this.columns[column]!
    if (data !== null) return { data, places: null }
    return this.trading.column(column - this.subject.tradingColumns.from)
  }

  value(id: number, column: number): number {
    const own = this.columns[column]!
    if (own !== null) return own[id]!
    return this.trading.value(id, column - this.subject.tradingColumns.from)
  }

  isWithin(id: number, ranges: readonly Range[]): boolean {
    for (const { column, min, max } of ranges) {
      const value = this.value(id, column)
      if (!(value >= min && value <= max)) return false
    }
    return true
  }

  private grow(count: number): void {
    const length = Math.ceil(Math.max(count, this.trading.length * growth, sizeMin))
    this.columns = this.columns.map((data) => {
      if (data === null) return null
      const longer = new Float64Array(length).fill(Number.NaN, data.length)
      longer.set(data)
      return longer
    })
    this.trading.grow(length)
    this.zones.grow(length)
  }
}
