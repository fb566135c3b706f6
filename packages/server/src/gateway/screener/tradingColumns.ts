import { grown } from '../../lib/grown.ts'

/** Values by id, or by the place that a row has. */
export type Column = { data: Float64Array; places: Int32Array | null }

export function valueAt({ data, places }: Column, id: number): number {
  return data[places === null ? id : places[id]!]!
}

/** Of rows that have no price, where all is NaN, and of those that nobody traded in a day, where all is 0. */
const unpriced = 0
const quiet = 1
const firstOwn = 2
const notRead = -2

/** Columns of what trades alone change, by places that only rows have that were traded in a day: most were not. */
export class TradingColumns {
  /** By id. */
  private places = new Int32Array(0)
  /** By place. */
  private columns: Float64Array[]
  /** Block of the newest trade that was read, and until when what was read of trading holds. */
  private tradedBlock = new Float64Array(firstOwn)
  private changesAtS = new Float64Array(firstOwn)
  /** From here on, and before that those that rows have left. */
  private end = firstOwn
  private readonly free: number[] = []

  constructor(columnCount: number) {
    this.columns = Array.from({ length: columnCount }, () => Float64Array.of(Number.NaN, 0))
  }

  /** How many rows there is room for. */
  get length(): number {
    return this.places.length
  }

  grow(length: number): void {
    const longer = new Int32Array(length)
    longer.set(this.places)
    this.places = longer
  }

  forget(): void {
    this.tradedBlock.fill(notRead)
  }

  forgetOne(id: number): void {
    const place = this.places[id]!
    if (place >= firstOwn) this.tradedBlock[place] = notRead
  }

  isKnown(id: number, lastTradeBlock: number, nowS: number): boolean {
    const place = this.places[id]!
    return (
      place >= firstOwn &&
      this.tradedBlock[place] === lastTradeBlock &&
      nowS < this.changesAtS[place]!
    )
  }

  /** What was read of a row, from a column of it on. False: it was quiet and is. */
  set(
    id: number,
    row: Float64Array,
    from: number,
    lastTradeBlock: number,
    changesAtS: number,
  ): boolean {
    if (changesAtS === Number.POSITIVE_INFINITY && this.isNothing(row, from)) {
      if (this.places[id] === quiet) return false
      this.leave(id, quiet)
      return true
    }
    const place = this.ownPlace(id)
    for (let column = 0; column < this.columns.length; column += 1)
      this.columns[column]![place] = row[from + column]!
    this.tradedBlock[place] = lastTradeBlock
    this.changesAtS[place] = changesAtS
    return true
  }

  /** It has no price. */
  clear(id: number): void {
    this.leave(id, unpriced)
  }

  value(id: number, column: number): number {
    return this.columns[column]![this.places[id]!]!
  }

  column(column: number): Column {
    return { data: this.columns[column]!, places: this.places }
  }

  private isNothing(row: Float64Array, from: number): boolean {
    for (let at = from; at < from + this.columns.length; at += 1) if (row[at] !== 0) return false
    return true
  }

  private leave(id: number, place: number): void {
    if (this.places[id]! >= firstOwn) this.free.push(this.places[id]!)
    this.places[id] = place
  }

  private ownPlace(id: number): number {
    const known = this.places[id]!
    if (known >= firstOwn) return known
    const place = this.free.pop() ?? this.end
    if (place === this.end) this.end += 1
    if (place === this.tradedBlock.length) this.growPlaces()
    this.places[id] = place
    return place
  }

  private growPlaces(): void {
    this.columns = this.columns.map((data) => grown(data))
    this.tradedBlock = grown(this.tradedBlock)
    this.changesAtS = grown(this.changesAtS)
  }
}
