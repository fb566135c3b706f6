import { keepLargest } from '../../engine/tables/keepLargest.ts'
import type { GatewayChain } from '../gatewayChain.ts'
import { type BoardSubject, WordCodes } from './boardSubject.ts'

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
    this.row = new Float64Array(subject.columnCount)
  }

  /** How many there are now. */
  get count(): number {
    return this.subject.count(this.chain)
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
    for (let column = 0; column < subject.columnCount; column += 1)
      if (!isTradingKnown || column < from || column >= to) columns[column]![id] = row[column]!
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

  /** Takes part of the rows into a selection. */
  scan(selection: Selection, from: number, to: number): void {
    const { ranges, sign, after } = selection.query
    const column = this.columns[selection.query.column]!
    // Side by side: a range that is an object would be looked into a million times; the first alone, which most do not pass.
    const [first = everything(column), ...others] = ranges.map((range) => ({
      ...{ data: this.columns[range.column]!, min: range.min, max: range.max },
    }))
    const { data, min, max } = first
    const end = Math.min(to, column.length)
    for (let id = from; id < end; id += 1) {
      const value = sign * column[id]!
      // Not of those that have no value, either.
      if (!(value > selection.least)) continue
      const bound = data[id]!
      if (!(bound >= min && bound <= max) || !isWithinAll(others, id)) continue
      if (after === null || isBehind(after, id, value)) selection.add(id, value)
    }
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
  }
}

type Bounded = { data: Float64Array; min: number; max: number }

const everything = (data: Float64Array): Bounded => ({
  ...{ data, min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY },
})

function isWithinAll(bounds: readonly Bounded[], id: number): boolean {
  for (const { data, min, max } of bounds) {
    const value = data[id]!
    if (!(value >= min && value <= max)) return false
  }
  return true
}

function isBehind(after: Ranked, id: number, value: number): boolean {
  return value < after.value || (value === after.value && id > after.id)
}

/** The largest of the rows that a scan has seen. They come by id, smallest first. */
export class Selection {
  readonly query: BoardQuery
  /** What is not larger is not among the largest. */
  least = Number.NEGATIVE_INFINITY
  private readonly ids: Uint32Array
  private readonly values: Float64Array
  private count = 0

  constructor(query: BoardQuery) {
    this.query = query
    // Room for three times as many, so that the least are seldom looked for.
    this.ids = new Uint32Array(query.limit * 4)
    this.values = new Float64Array(query.limit * 4)
  }

  add(id: number, value: number): void {
    this.ids[this.count] = id
    this.values[this.count] = value
    this.count += 1
    if (this.count === this.ids.length) this.keep()
  }

  /** In order. */
  largest(): Ranked[] {
    const { ids, values } = this
    return this.places().map((place) => ({ id: ids[place]!, value: values[place]! }))
  }

  private keep(): void {
    const kept = this.largest().sort((a, b) => a.id - b.id)
    this.count = 0
    let least = Number.POSITIVE_INFINITY
    for (const { id, value } of kept) {
      least = Math.min(least, value)
      this.ids[this.count] = id
      this.values[this.count] = value
      this.count += 1
    }
    this.least = least
  }

  private places(): number[] {
    const { ids, values, query } = this
    return keepLargest(values.subarray(0, this.count), query.limit, (place) => ids[place]!)
  }
}
