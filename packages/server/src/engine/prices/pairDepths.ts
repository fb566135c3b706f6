import type { ImagePart } from '../pages/imagePart.ts'
import { imageBytes, imageField } from '../pages/imagePart.ts'
import type { MarketMemory } from '../pages/marketMemory.ts'
import type { Catalog } from '../search/catalog.ts'
import { scaleByTen } from '../tables/bigWords.ts'
import { largestIndexes } from '../tables/largestIndexes.ts'
import { hasTvl, pairColumn, pairFlag } from '../tables/pairTable.ts'
import type { RowTable } from '../tables/rowTable.ts'
import { tokenColumn } from '../tables/tokenTable.ts'
import { areReservesKnown } from './reserves.ts'

// Local alias: V8 inlines fields of a local constant, but not of an imported one.
const P = pairColumn
const T = tokenColumn

type PairDepthsOptions = {
  catalog: Catalog
  pairs: RowTable
  tokens: RowTable
  memory: MarketMemory
  /** Depths are stored for a side of a token with more pairs than this. */
  pairsMax: number
}

/**
 * Columns that link the pairs of a token on one side: the pair's token, first and last pair in the
 * token's row, and a pair's position and next pair.
 */
export const pairSides = {
  target: {
    token: P.targetToken,
    head: T.targetHead,
    tail: T.targetTail,
    place: P.targetPlace,
    next: P.nextTarget,
  },
  quote: {
    token: P.quoteToken,
    head: T.quoteHead,
    tail: T.quoteTail,
    place: P.quotePlace,
    next: P.nextQuote,
  },
} as const
export type PairSide = (typeof pairSides)[keyof typeof pairSides]
const sideNames = ['target', 'quote'] as const

/**
 * Depths of the pairs of tokens that have too many pairs for a read to walk. They follow from the
 * pairs' rows, so a snapshot omits them, and every change of such a row must be reported here. An
 * image stores them, because rebuilding them reads all pairs.
 */
export class PairDepths implements ImagePart {
  readonly name = 'pairDepths'
  readonly #options: PairDepthsOptions
  readonly #targets = new Map<number, SideDepths>()
  readonly #quotes = new Map<number, SideDepths>()
  /** Cache of the last lookup: nearly all pairs have the same few quote tokens. */
  #lastQuoteToken = -1
  #lastQuoteDepths: SideDepths | undefined

  constructor(options: PairDepthsOptions) {
    this.#options = options
  }

  /** Depths of the pairs whose target is the token; null if these are few enough to walk. */
  targetDepths(tokenId: number): SideDepths | null {
    return this.#targets.get(tokenId) ?? null
  }

  quoteDepths(tokenId: number): SideDepths | null {
    return this.#quotes.get(tokenId) ?? null
  }

  /** Adds a new pair to the depths of both of its tokens. */
  add(pairRow: number): void {
    this.#addTo(this.#targets, pairSides.target, pairRow)
    this.#addTo(this.#quotes, pairSides.quote, pairRow)
  }

  /** Updates the depth of a pair after a block changed its state, price or flags. */
  updatePair(pairId: number): void {
    const pair = this.#options.pairs.page(pairId + 1)
    const at = this.#options.pairs.at(pairId + 1)
    // The reserves of an untrusted pair do not count, and the pair may not be listed at all.
    if ((pair[at + P.flags]! & pairFlag.isTrusted) === 0) return
    const quoteToken = pair[at + P.quoteToken]! | 0
    if (quoteToken !== this.#lastQuoteToken) {
      this.#lastQuoteToken = quoteToken
      this.#lastQuoteDepths = this.#quotes.get(quoteToken)
    }
    const target =
      this.#targets.size === 0 ? undefined : this.#targets.get(pair[at + P.targetToken]! | 0)
    if (this.#lastQuoteDepths === undefined && target === undefined) return
    const value = this.#valueOf(pair, at, pairId)
    this.#lastQuoteDepths?.set(pair[at + P.quotePlace]!, value)
    target?.set(pair[at + P.targetPlace]!, value)
  }

  /** Reverts a block: removes pairs from a row on, and updates those the block had touched. */
  revert(pairRow: number, touched: readonly number[]): void {
    for (const lists of [this.#targets, this.#quotes])
      for (const [tokenId, depths] of lists) {
        depths.truncate(pairRow)
        if (depths.count <= this.#options.pairsMax) lists.delete(tokenId)
      }
    this.#lastQuoteToken = -1
    for (const pairId of touched) if (pairId + 1 < pairRow) this.updatePair(pairId)
  }

  /** Computes all depths. Must be called after all rows were read from a snapshot. */
  buildAll(): void {
    const { pairs, pairsMax, memory } = this.#options
    for (let row = 1; row < pairs.count; row += 1) {
      memory.evictDuringScan(row)
      // Each side reads the pair's page again, because the first may have evicted or divided it.
      for (const side of [pairSides.target, pairSides.quote])
        if (pairs.page(row)[pairs.at(row) + side.place] === pairsMax)
          this.#addTo(this.#listsOf(side), side, row, (place) => memory.evictDuringScan(place))
    }
  }

  imageFields(): Map<string, Uint8Array> {
    const fields = new Map<string, Uint8Array>()
    for (const side of sideNames) {
      const lists = this.#listsOf(pairSides[side])
      fields.set(`${side}s`, imageBytes(Uint32Array.from(lists.keys())))
      for (const [tokenId, depths] of lists)
        for (const [list, values] of Object.entries(depths.toLists()))
          fields.set(`${side}.${tokenId}.${list}`, imageBytes(values))
    }
    return fields
  }

  fillFromImage(fields: ReadonlyMap<string, Uint8Array>): void {
    for (const side of sideNames)
      for (const tokenId of new Uint32Array(alignedField(fields, `${side}s`))) {
        const of = (list: string) => alignedField(fields, `${side}.${tokenId}.${list}`)
        const depths = new SideDepths()
        depths.fillFrom({
          pairRows: new Uint32Array(of('pairRows')),
          quoteIndexes: new Int16Array(of('quoteIndexes')),
          values: new Float64Array(of('values')),
        })
        this.#listsOf(pairSides[side]).set(tokenId, depths)
      }
  }

  #listsOf(side: PairSide): Map<number, SideDepths> {
    return side === pairSides.target ? this.#targets : this.#quotes
  }

  /**
   * Adds a pair to one side of its token. A caller that adds millions of pairs passes `settleAt`,
   * which evicts pages now and then to keep within the memory limit.
   */
  #addTo(
    lists: Map<number, SideDepths>,
    side: PairSide,
    pairRow: number,
    settleAt?: (place: number) => void,
  ): void {
    const { pairs, tokens, pairsMax } = this.#options
    const page = pairs.page(pairRow)
    const at = pairs.at(pairRow)
    if (page[at + side.place]! < pairsMax) return
    const tokenId = page[at + side.token]!
    const known = lists.get(tokenId)
    if (known !== undefined) {
      known.add(pairRow, page[at + P.quoteIndex]!, this.#valueOf(page, at, pairRow - 1))
      return
    }
    const depths = new SideDepths()
    lists.set(tokenId, depths)
    this.#lastQuoteToken = -1
    for (let row = tokens.page(tokenId + 1)[tokens.at(tokenId + 1) + side.head]!; row !== 0; ) {
      settleAt?.(depths.count)
      const pair = pairs.page(row)
      const pairAt = pairs.at(row)
      depths.add(row, pair[pairAt + P.quoteIndex]!, this.#valueOf(pair, pairAt, row - 1))
      row = pair[pairAt + side.next]!
    }
  }

  /** Depth of a pair: both reserves in whole quote tokens; 0 if they do not count. */
  #valueOf(pair: Float64Array, at: number, pairId: number): number {
    if (!hasTvl(pair[at + P.flags]!)) return 0
    const { catalog } = this.#options
    if (!areReservesKnown(this.#options, pair, at, pairId)) return unknownDepth
    const is0 = pair[at + P.targetSide] === 0
    const target = pair[at + (is0 ? P.reserve0 : P.reserve1)]!
    const quote = pair[at + (is0 ? P.reserve1 : P.reserve0)]!
    const targetDecimals = catalog.decimals(pair[at + P.targetToken]!)
    const quoteDecimals = catalog.decimals(pair[at + P.quoteToken]!)
    return (
      scaleByTen(target, -targetDecimals) * pair[at + P.price]! + scaleByTen(quote, -quoteDecimals)
    )
  }
}

/** Returns a copy of an image field, since a field may start at any byte of its buffer. */
function alignedField(fields: ReadonlyMap<string, Uint8Array>, name: string): ArrayBuffer {
  return imageField(fields, name).slice().buffer as ArrayBuffer
}

// Pairs per chunk: a change costs a walk over one chunk at the next read, and a read walks all
// chunks.
const chunkPairs = 64
const firstPairs = 1 << 11

/** Value of a pair whose reserves are unknown. It counts as 0 and marks the sum as incomplete. */
const unknownDepth = -1

/** Data of the pairs, indexed by position. */
type DepthLists = {
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
  #sums = new Float64Array(firstPairs / chunkPairs)
  #largest = new Float64Array(firstPairs / chunkPairs)
  #isStale = new Uint8Array(firstPairs / chunkPairs)
  #hasUnknown = new Uint8Array(firstPairs / chunkPairs)
  #isAnyStale = false
  #isComplete = true
  #sum = 0

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
    while (this.values.length < values.length) this.#grow()
    this.pairRows.set(pairRows)
    this.quoteIndexes.set(quoteIndexes)
    this.values.set(values)
    this.count = values.length
    this.#isStale.fill(1)
    this.#isAnyStale = true
  }

  add(pairRow: number, quoteIndex: number, value: number): void {
    const place = this.count
    if (place === this.values.length) this.#grow()
    this.pairRows[place] = pairRow
    this.quoteIndexes[place] = quoteIndex
    this.count = place + 1
    this.set(place, value)
  }

  set(place: number, value: number): void {
    this.values[place] = value
    this.#isStale[Math.floor(place / chunkPairs)] = 1
    this.#isAnyStale = true
  }

  /** Removes pairs from a row on, after a revert. */
  truncate(pairRow: number): void {
    while (this.count > 0 && this.pairRows[this.count - 1]! >= pairRow) {
      this.count -= 1
      this.set(this.count, 0)
    }
  }

  total(): number {
    this.#refresh()
    return this.#sum
  }

  /** True if the reserves of all pairs are known. */
  areAllKnown(): boolean {
    this.#refresh()
    return this.#isComplete
  }

  /** Rows of the deepest pairs, at most `max`, deepest first; of equal pairs the oldest first. */
  deepest(max: number): number[] {
    this.#refresh()
    const places = this.#candidates(max)
    const values = Float64Array.from(places, (place) => this.values[place]!)
    const kept = largestIndexes(values, max, (at) => places[at]!)
    return kept.map((at) => this.pairRows[places[at]!]!)
  }

  /**
   * Positions of pairs that can be among the deepest: `max` chunks have a value of at least
   * `least`, so smaller values are skipped.
   */
  #candidates(max: number): number[] {
    const chunks = Math.ceil(this.count / chunkPairs)
    const largest = this.#largest.subarray(0, chunks)
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

  #refresh(): void {
    if (!this.#isAnyStale) return
    const { values } = this
    const sums = this.#sums
    const largest = this.#largest
    const hasUnknown = this.#hasUnknown
    const isStale = this.#isStale
    let total = 0
    this.#isComplete = true
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
      if (hasUnknown[chunk] === 1) this.#isComplete = false
    }
    this.#sum = total
    this.#isAnyStale = false
  }

  #grow(): void {
    const length = this.values.length * 2
    this.pairRows = grown(this.pairRows, new Uint32Array(length))
    this.quoteIndexes = grown(this.quoteIndexes, new Int16Array(length))
    this.values = grown(this.values, new Float64Array(length))
    this.#sums = grown(this.#sums, new Float64Array(length / chunkPairs))
    this.#largest = grown(this.#largest, new Float64Array(length / chunkPairs))
    this.#hasUnknown = grown(this.#hasUnknown, new Uint8Array(length / chunkPairs))
    this.#isStale = grown(this.#isStale, new Uint8Array(length / chunkPairs))
  }
}

function grown<list extends { set(from: list): void }>(from: list, to: list): list {
  to.set(from)
  return to
}
