import { keepLargest } from '../tables/keepLargest.ts'

// A change costs a walk over so many at the next read, and a read one over as many times fewer.
const chunkPairs = 64
const firstPairs = 1 << 11

/** The value of a pair whose reserves nobody reported. It counts as nothing, and says that the sum is not whole. */
export const unknownDepth = -1

/** By place. */
export type DepthLists = {
  pairRows: Uint32Array
  quoteIndexes: Int16Array
  values: Float64Array
}

/**
 * How deep the pairs are that a token is one side of, oldest first: each in its quote token, so that rates change nothing
 * here. Changes only mark the chunk they are in, whose sum and largest value are made when they are read. All that is
 * read follows from the values alone.
 */
export class SideDepths {
  count = 0
  pairRows = new Uint32Array(firstPairs)
  /** Position of the pair's quote token in the config's list, -1 when it is not a quote asset. */
  quoteIndexes = new Int16Array(firstPairs)
  values = new Float64Array(firstPairs)
  private sums = new Float64Array(firstPairs / chunkPairs)
  private largest = new Float64Array(firstPairs / chunkPairs)
  private isStale = new Uint8Array(firstPairs / chunkPairs)
  private hasUnknown = new Uint8Array(firstPairs / chunkPairs)
  private isAnyStale = false
  private isWhole = true
  private sum = 0

  /** All that it is made of, for one that is filled from it. */
  lists(): DepthLists {
    const { count, pairRows, quoteIndexes, values } = this
    return {
      pairRows: pairRows.subarray(0, count),
      quoteIndexes: quoteIndexes.subarray(0, count),
      values: values.subarray(0, count),
    }
  }

  /** Of one that is empty. */
  fillFrom({ pairRows, quoteIndexes, values }: DepthLists): void {
    while (this.values.length < values.length) this.grow()
    this.pairRows.set(pairRows)
    this.quoteIndexes.set(quoteIndexes)
    this.values.set(values)
    this.count = values.length
    this.isStale.fill(1)
    this.isAnyStale = true
  }

  add(pairRow: number, quoteIndex: number, value: number): void {
    const place = this.count
    if (place === this.values.length) this.grow()
    this.pairRows[place] = pairRow
    this.quoteIndexes[place] = quoteIndex
    this.count = place + 1
    this.set(place, value)
  }

  set(place: number, value: number): void {
    this.values[place] = value
    this.isStale[Math.floor(place / chunkPairs)] = 1
    this.isAnyStale = true
  }

  /** Lets go of pairs from a row on. */
  truncate(pairRow: number): void {
    while (this.count > 0 && this.pairRows[this.count - 1]! >= pairRow) {
      this.count -= 1
      this.set(this.count, 0)
    }
  }

  total(): number {
    this.refresh()
    return this.sum
  }

  /** Are the reserves of all pairs known? */
  isKnown(): boolean {
    this.refresh()
    return this.isWhole
  }

  /** Rows of the deepest pairs, at most `max`, deepest first, of equal ones the oldest. */
  deepest(max: number): number[] {
    this.refresh()
    const places = this.candidates(max)
    const values = Float64Array.from(places, (place) => this.values[place]!)
    const kept = keepLargest(values, max, (at) => places[at]!)
    return kept.map((at) => this.pairRows[places[at]!]!)
  }

  /** Some `max` chunks have a value of this or more, so that nothing below it is among the deepest. */
  private candidates(max: number): number[] {
    const chunks = Math.ceil(this.count / chunkPairs)
    const largest = this.largest.subarray(0, chunks)
    const last = chunks > max ? keepLargest(largest, max, (chunk) => chunk).at(-1) : undefined
    const least = last === undefined ? 0 : largest[last]!
    const places: number[] = []
    for (let chunk = 0; chunk < chunks; chunk += 1) {
      if (largest[chunk] === 0 || largest[chunk]! < least) continue
      const end = Math.min(this.count, (chunk + 1) * chunkPairs)
      for (let place = chunk * chunkPairs; place < end; place += 1)
        if (this.values[place]! > 0 && this.values[place]! >= least) places.push(place)
    }
    for (let place = 0; place < this.count && places.length < max; place += 1)
      if (this.values[place]! <= 0) places.push(place)
    return places
  }

  private refresh(): void {
    if (!this.isAnyStale) return
    const { values, sums, largest, hasUnknown, isStale } = this
    let total = 0
    this.isWhole = true
    for (let chunk = 0; chunk < sums.length; chunk += 1) {
      if (isStale[chunk] === 1) {
        isStale[chunk] = 0
        const end = (chunk + 1) * chunkPairs
        let sum = 0
        let most = 0
        hasUnknown[chunk] = 0
        for (let place = chunk * chunkPairs; place < end; place += 1) {
          const value = values[place]!
          if (value === unknownDepth) hasUnknown[chunk] = 1
          else sum += value
          if (value > most) most = value
        }
        sums[chunk] = sum
        largest[chunk] = most
      }
      total += sums[chunk]!
      if (hasUnknown[chunk] === 1) this.isWhole = false
    }
    this.sum = total
    this.isAnyStale = false
  }

  private grow(): void {
    const length = this.values.length * 2
    this.pairRows = grown(this.pairRows, new Uint32Array(length))
    this.quoteIndexes = grown(this.quoteIndexes, new Int16Array(length))
    this.values = grown(this.values, new Float64Array(length))
    this.sums = grown(this.sums, new Float64Array(length / chunkPairs))
    this.largest = grown(this.largest, new Float64Array(length / chunkPairs))
    this.hasUnknown = grown(this.hasUnknown, new Uint8Array(length / chunkPairs))
    this.isStale = grown(this.isStale, new Uint8Array(length / chunkPairs))
  }
}

function grown<list extends { set(from: list): void }>(from: list, to: list): list {
  to.set(from)
  return to
}
