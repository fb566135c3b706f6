import { keepLargest } from '../../engine/tables/keepLargest.ts'
import type { GatewayChain } from '../gatewayChain.ts'
import { columnCount, readNow, readTrading, tradingColumns, WordCodes } from './measures.ts'

/** What a token must be: a column between two bounds, both of them in it. */
export type Range = { column: number; min: number; max: number }

export type Ranked = { tokenId: number; value: number }

/** Tokens within all ranges, those with the largest values of a column first; equal ones by id. */
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

/** What the tokens of a chain are selected by, in columns of numbers: a filter goes over a million of them within milliseconds. */
export class TokenBoard {
  readonly words = new WordCodes()
  private readonly chain: GatewayChain
  private columns = Array.from({ length: columnCount }, () => new Float64Array(0))
  /** Block of the newest trade that was read, and until when what was read of trading holds. */
  private tradedBlock = new Float64Array(0)
  private changesAtS = new Float64Array(0)
  private readonly row = new Float64Array(columnCount)

  constructor(chain: GatewayChain) {
    this.chain = chain
  }

  /** Blocks were reverted: ids may be those of other tokens now. */
  forget(): void {
    this.tradedBlock.fill(notRead)
  }

  /** What is read next of this one is read whole. */
  forgetOne(tokenId: number): void {
    this.tradedBlock[tokenId] = notRead
  }

  refresh(tokenId: number, nowS: number): void {
    if (tokenId >= this.tradedBlock.length) this.grow(tokenId + 1)
    const { row, columns, chain } = this
    const { lastTradeBlock } = chain.reads.tokenActivity(tokenId)
    const isPriced = readNow(chain, tokenId, this.words, row)
    const isTradingKnown =
      isPriced && this.tradedBlock[tokenId] === lastTradeBlock && nowS < this.changesAtS[tokenId]!
    if (isPriced && !isTradingKnown)
      this.changesAtS[tokenId] = readTrading(chain, tokenId, nowS, row)
    this.tradedBlock[tokenId] = isPriced ? lastTradeBlock : notRead
    const { from, to } = tradingColumns
    for (let column = 0; column < columnCount; column += 1)
      if (!isTradingKnown || column < from || column >= to) columns[column]![tokenId] = row[column]!
  }

  value(tokenId: number, column: number): number {
    return this.columns[column]![tokenId]!
  }

  isWithin(tokenId: number, ranges: readonly Range[]): boolean {
    for (const { column, min, max } of ranges) {
      const value = this.columns[column]![tokenId]!
      if (!(value >= min && value <= max)) return false
    }
    return true
  }

  /** Takes part of the tokens into a selection. */
  scan(selection: Selection, from: number, to: number): void {
    const { ranges, sign, after } = selection.query
    const column = this.columns[selection.query.column]!
    // Side by side: a range that is an object would be looked into a million times.
    const bounded = ranges.map((range) => this.columns[range.column]!)
    const mins = Float64Array.from(ranges, ({ min }) => min)
    const maxes = Float64Array.from(ranges, ({ max }) => max)
    const end = Math.min(to, column.length)
    for (let tokenId = from; tokenId < end; tokenId += 1) {
      const value = sign * column[tokenId]!
      // Not of those that have no value, either.
      if (!(value > selection.least)) continue
      let at = 0
      while (at < bounded.length) {
        const bound = bounded[at]![tokenId]!
        if (!(bound >= mins[at]! && bound <= maxes[at]!)) break
        at += 1
      }
      if (at < bounded.length || (after !== null && !isBehind(after, tokenId, value))) continue
      selection.add(tokenId, value)
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

function isBehind(after: Ranked, tokenId: number, value: number): boolean {
  return value < after.value || (value === after.value && tokenId > after.tokenId)
}

/** The largest of the tokens that a scan has seen. They come by id, smallest first. */
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

  add(tokenId: number, value: number): void {
    this.ids[this.count] = tokenId
    this.values[this.count] = value
    this.count += 1
    if (this.count === this.ids.length) this.keep()
  }

  /** In order. */
  largest(): Ranked[] {
    const { ids, values } = this
    return this.places().map((place) => ({ tokenId: ids[place]!, value: values[place]! }))
  }

  private keep(): void {
    const kept = this.largest().sort((a, b) => a.tokenId - b.tokenId)
    this.count = 0
    let least = Number.POSITIVE_INFINITY
    for (const { tokenId, value } of kept) {
      least = Math.min(least, value)
      this.ids[this.count] = tokenId
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
