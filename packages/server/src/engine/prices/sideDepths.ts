import { largestIndexes } from '../tables/largestIndexes.ts'

// Pairs per chunk: a change costs a walk over one chunk at the next read, and a read walks all
// chunks.
const chunkPairs = 64
const firstPairs = 1 << 11

/** Value of a pair whose reserves are unknown. It counts as 0 and marks the sum as incomplete. */
export const unknownDepth = -1

/** Data of the pairs, indexed by position. */
export type DepthLists = {
  pairRows: Uint32Array
  quoteIndexes: Int16Array
  values: Float64Array
}

/**
 * Depths of the pairs on one side of a token, oldest first, each in its quote token, so that rates
 * change nothing here. A change only marks its chunk; the chunk's sum and largest value are
 * computed at the next read. All results depend on the values only.
 */
export class SideDepths {
  count = 0
  pairRows = new Uint32Array(firstPairs)
  /** Position of the pair's quote token in the configured list; -1 if it is not a quote asset. */
  quoteIndexes = new Int16Array(firstPairs)
  values = new Float64Array(firstPairs)
  private sums = new Float64Array(firstPairs / chunkPairs)
  private largest = new Float64Array(firstPairs / chunkPairs)
  private isStale = new Uint8Array(firstPairs / chunkPairs)
  private hasUnknown = new Uint8Array(firstPairs / chunkPairs)
  private isAnyStale = false
  private isComplete = true
  private sum = 0

  /** All data, from which `fillFrom` builds an equal object. */
  toLists(): DepthLists {
    const { count, pairRows, quoteIndexes, values } = this
    return {
      pairRows: pairRows.subarray(0, count),
      quoteIndexes: quoteIndexes.subarray(0, count),
      values: values.subarray(0, count),
    }
  }

  /** Fills an empty object. */
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

  /** Removes pairs from a row on, after a revert. */
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

  /** True if the reserves of all pairs are known. */
  areAllKnown(): boolean {
    this.refresh()
    return this.isComplete
  }

  /** Rows of the deepest pairs, at most `max`, deepest first; of equal pairs the oldest first. */
  deepest(max: number): number[] {
    this.refresh()
    const places = this.candidates(max)
    const values = Float64Array.from(places, (place) => this.values[place]!)
    const kept = largestIndexes(values, max, (at) => places[at]!)
    return kept.map((at) => this.pairRows[places[at]!]!)
  }

  /**
   * Positions of pairs that can be among the deepest: `max` chunks have a value of at least
   * `least`, so smaller values are skipped.
   */
  private candidates(max: number): number[] {
    const chunks = Math.ceil(this.count / chunkPairs)
    const largest = this.largest.subarray(0, chunks)
    const last = chunks > max ? largestIndexes(largest, max, (chunk) => chunk).at(-1) : undefined
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
    this.isComplete = true
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
      if (hasUnknown[chunk] === 1) this.isComplete = false
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
