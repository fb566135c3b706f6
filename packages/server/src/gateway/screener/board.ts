import { keepLargest, largestAt } from '../../engine/tables/keepLargest.ts'
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

/** How a query is scanned for: nothing of what it selects depends on it. */
export type ScanPlan = {
  /** The range that fewest rows are within first. */
  ranges: readonly Range[]
  /** What is not larger is not among the first rows, unless they have changed since; -Infinity: nothing is known of it. */
  least: number
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
    const { ranges, query } = selection
    const column = this.columns[query.column]!
    // Side by side: a range that is an object would be looked into a million times; the first alone, which most do not pass.
    const [first, ...others] = ranges.map((range) => ({
      data: this.columns[range.column]!,
      min: range.min,
      max: range.max,
    }))
    const end = Math.min(to, column.length)
    const next =
      first === undefined ? from : scanWithin(selection, column, first, others, from, end)
    scanLarger(selection, column, first === undefined ? [] : [first, ...others], next, end)
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

/** Until it is known what is too small, most rows are passed over by what they must be within. Gives where that ended. */
function scanWithin(
  selection: Selection,
  column: Float64Array,
  { data, min, max }: Bounded,
  others: readonly Bounded[],
  from: number,
  end: number,
): number {
  const { sign, after } = selection.query
  let id = from
  for (; id < end && selection.least === Number.NEGATIVE_INFINITY; id += 1) {
    const bound = data[id]!
    if (!(bound >= min && bound <= max) || !isWithinAll(others, id)) continue
    const value = sign * column[id]!
    // Not of those that have no value, either.
    if (!(value > Number.NEGATIVE_INFINITY)) continue
    if (after === null || isBehind(after, id, value)) selection.add(id, value)
  }
  return id
}

/** From then on, by what is too small. */
function scanLarger(
  selection: Selection,
  column: Float64Array,
  bounds: readonly Bounded[],
  from: number,
  end: number,
): void {
  const { sign, after } = selection.query
  const most = after === null ? Number.POSITIVE_INFINITY : after.value
  let { least } = selection
  for (let id = from; id < end; id += 1) {
    const value = sign * column[id]!
    if (!(value > least) || value > most || !isWithinAll(bounds, id)) continue
    if (after !== null && !isBehind(after, id, value)) continue
    selection.add(id, value)
    least = selection.least
  }
}

function isWithinAll(bounds: readonly Bounded[], id: number): boolean {
  for (const { data, min, max } of bounds) {
    const value = data[id]!
    if (!(value >= min && value <= max)) return false
  }
  return true
}

export function isBehind(after: Ranked, id: number, value: number): boolean {
  return value < after.value || (value === after.value && id > after.id)
}

/** The largest of the rows that a scan has seen. They come by id, smallest first. */
export class Selection {
  readonly query: BoardQuery
  /** What is not larger is not among the largest. */
  least: number
  /** Those of the query, in the order in which they are looked at. */
  readonly ranges: readonly Range[]
  private readonly ids: Uint32Array
  private readonly values: Float64Array
  private count = 0

  constructor(query: BoardQuery, { ranges, least }: ScanPlan) {
    this.query = query
    this.ranges = ranges
    this.least = least
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

  /** Lets go of the others; what stays is in the order in which it came, so that of equal ones the first stay. */
  private keep(): void {
    const { ids, values, query } = this
    const least = largestAt(values.slice(0, this.count), query.limit - 1)
    let equalCount = query.limit
    for (let place = 0; place < this.count; place += 1) if (values[place]! > least) equalCount -= 1
    let kept = 0
    for (let place = 0; place < this.count; place += 1) {
      const value = values[place]!
      if (value < least || (value === least && equalCount-- <= 0)) continue
      ids[kept] = ids[place]!
      values[kept] = value
      kept += 1
    }
    this.count = kept
    this.least = least
  }

  private places(): number[] {
    const { ids, values, query } = this
    return keepLargest(values.subarray(0, this.count), query.limit, (place) => ids[place]!)
  }
}
