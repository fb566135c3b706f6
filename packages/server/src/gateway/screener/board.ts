import type { GatewayChain } from '../gatewayChain.ts'
import { type BoardSubject, WordCodes } from './boardSubject.ts'
import { Zones } from './scan/zones.ts'

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

const notRead = -2
const growth = 1.5
const sizeMin = 1_024

/** What the tokens or pairs of a chain are selected by, in columns of numbers: a filter goes over a million of them within milliseconds. */
export class Board {
  readonly words = new WordCodes()
  readonly zones: Zones
  private readonly chain: GatewayChain
  private readonly subject: BoardSubject
  private columns: Float64Array[]
  /** Block of the newest trade that was read, and until when what was read of trading holds. */
  private tradedBlock = new Float64Array(0)
  private changesAtS = new Float64Array(0)
  private readonly row: Float64Array

  constructor(chain: GatewayChain, subject: BoardSubject) {
    this.chain = chain
    this.subject = subject
    this.columns = Array.from({ length: subject.columnCount }, () => new Float64Array(0))
    this.zones = new Zones(subject.columnCount)
    this.row = new Float64Array(subject.columnCount)
  }

  /** How many there are now. */
  get count(): number {
    return this.subject.count(this.chain)
  }

  /** How many of them have their place here. */
  get readCount(): number {
    return Math.min(this.count, this.tradedBlock.length)
  }

  /** Blocks were reverted: ids may be those of others now. */
  forget(): void {
    this.tradedBlock.fill(notRead)
  }

  /** What is read next of this one is read whole. */
  forgetOne(id: number): void {
    this.tradedBlock[id] = notRead
  }

  refresh(id: number, nowS: number): void {
    if (id >= this.tradedBlock.length) this.grow(id + 1)
    const { row, columns, chain, subject } = this
    const lastTradeBlock = subject.lastTradeBlock(chain, id)
    const isPriced = subject.readNow(chain, id, this.words, row)
    const isTradingKnown =
      isPriced && this.tradedBlock[id] === lastTradeBlock && nowS < this.changesAtS[id]!
    if (isPriced && !isTradingKnown) this.changesAtS[id] = subject.readTrading(chain, id, nowS, row)
    this.tradedBlock[id] = isPriced ? lastTradeBlock : notRead
    const { from, to } = subject.tradingColumns
    for (let column = 0; column < subject.columnCount; column += 1) {
      if (isTradingKnown && column >= from && column < to) continue
      columns[column]![id] = row[column]!
      this.zones.widen(id, column, row[column]!)
    }
  }

  /** Bounds that rows have moved away from since are narrow again, of the zone that this row is in. */
  tighten(id: number): void {
    this.zones.tighten(id, this.columns)
  }

  /** Of all rows, by id. Another one when the board has grown. */
  column(column: number): Float64Array {
    return this.columns[column]!
  }

  value(id: number, column: number): number {
    return this.columns[column]![id]!
  }

  isWithin(id: number, ranges: readonly Range[]): boolean {
    for (const { column, min, max } of ranges) {
      const value = this.columns[column]![id]!
      if (!(value >= min && value <= max)) return false
    }
    return true
  }

  private grow(count: number): void {
    const known = this.tradedBlock.length
    const length = Math.ceil(Math.max(count, known * growth, sizeMin))
    const grown = (data: Float64Array, rest: number) => {
      const longer = new Float64Array(length).fill(rest, data.length)
      longer.set(data)
      return longer
    }
    this.columns = this.columns.map((column) => grown(column, Number.NaN))
    this.tradedBlock = grown(this.tradedBlock, notRead)
    this.changesAtS = grown(this.changesAtS, 0)
    this.zones.grow(length)
  }
}
