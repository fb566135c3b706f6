/** One column of a board, for all rows. A row's value is at `data[places[id]]`. */
export type Column = { data: Float64Array; places: Int32Array }

export function valueAt({ data, places }: Column, id: number): number {
  return data[places[id]!]!
}

const growth = 1.5

/**
 * Columns of numbers in which many rows may share one place, to save memory. A shared place has the
 * same value in all columns. Rows start at shared place 0; only rows with a place of their own take
 * space.
 */
export class SharedColumns {
  /** Place of each row in the columns, by row id. */
  #places = new Int32Array(0)
  /** Values of all columns, by column and then by place. */
  #columns: Float64Array[]
  #ids: Int32Array
  readonly #sharedCount: number
  /** First place that was never used. Unused places below it are in `free`. */
  #end: number
  readonly #free: number[] = []

  constructor(columnCount: number, shared: readonly number[]) {
    this.#columns = Array.from({ length: columnCount }, () => Float64Array.from(shared))
    this.#ids = new Int32Array(shared.length).fill(-1)
    this.#sharedCount = shared.length
    this.#end = shared.length
  }

  /** Number of rows that fit without growing the columns. */
  get length(): number {
    return this.#places.length
  }

  /** Number of places that each column has room for, the shared ones included. */
  get placeCount(): number {
    return this.#columns[0]!.length
  }

  grow(length: number): void {
    const longer = new Int32Array(length)
    longer.set(this.#places)
    this.#places = longer
  }

  placeOf(id: number): number {
    return this.#places[id]!
  }

  hasOwn(id: number): boolean {
    return id < this.#places.length && this.#places[id]! >= this.#sharedCount
  }

  share(id: number, place: number): void {
    const allocate = this.#places[id]!
    if (allocate >= this.#sharedCount) {
      this.#ids[allocate] = -1
      this.#free.push(allocate)
    }
    this.#places[id] = place
  }

  /** Returns the row's own place, allocating a place for a row that had none. */
  own(id: number): number {
    if (this.hasOwn(id)) return this.#places[id]!
    const place = this.#free.pop() ?? this.#end
    if (place === this.#end) this.#end += 1
    if (place === this.#ids.length) this.#growPlaces()
    this.#places[id] = place
    this.#ids[place] = id
    return place
  }

  /** Ids of rows with their own place. Rows may be added and removed during iteration. */
  *owners(): Generator<number, void, undefined> {
    for (let place = this.#sharedCount; place < this.#end; place += 1)
      if (this.#ids[place]! >= 0) yield this.#ids[place]!
  }

  value(id: number, column: number): number {
    return this.#columns[column]![this.#places[id]!]!
  }

  set(place: number, column: number, value: number): void {
    this.#columns[column]![place] = value
  }

  /** Sets a column's value in all rows with their own place. */
  fillOwn(column: number, value: number): void {
    this.#columns[column]!.fill(value, this.#sharedCount)
  }

  /** Returns a column. The returned object is outdated once the columns grow. */
  column(column: number): Column {
    return { data: this.#columns[column]!, places: this.#places }
  }

  #growPlaces(): void {
    const length = Math.ceil(this.#ids.length * growth)
    const ids = new Int32Array(length).fill(-1)
    ids.set(this.#ids)
    this.#ids = ids
    this.#columns = this.#columns.map((data) => {
      const longer = new Float64Array(length)
      longer.set(data)
      return longer
    })
  }
}
