import { gcNeutralBuffer } from '../lib/gcNeutralBuffer.ts'
import type { Launches } from './launches.ts'
import type { ImagePart } from './pages/imagePart.ts'
import { imageField } from './pages/imagePart.ts'
import type { Catalog } from './search/catalog.ts'
import type { TokenSeries } from './series/tokenSeries.ts'
import { pairColumn } from './tables/pairTable.ts'
import type { RowTable } from './tables/rowTable.ts'

/** Questions to a chain's nodes about a token or pair that the log has no answer to yet. */
const bits = {
  /** Asks for the holders of a token whose supply is known. */
  holders: 1,
  /** Asks for the creation time of the contract of a token with a main pair. */
  tokenCreation: 2,
  /** Asks for the creation time of a pair that was discovered after its creation. */
  pairCreation: 4,
  /** Asks for the total shares of a trusted constant-product pair. */
  shares: 8,
  /**
   * Asks for the reserves of a concentrated pool, or of a pool in a vault, whose reserves are
   * unknown.
   */
  reserves: 16,
} as const

export type QuestionKind = keyof typeof bits
export const questionKinds = Object.keys(bits) as QuestionKind[]

type QuestionState = {
  catalog: Catalog
  pairs: RowTable
  launches: Launches
  series: TokenSeries
}

/**
 * Open questions of every token and pair, one byte of flags each. The flags follow from the state.
 * They are stored because a start that checks every token and pair would read the whole market from
 * disk.
 */
export class OpenQuestions implements ImagePart {
  readonly name = 'openQuestions'
  readonly #state: QuestionState
  /** Flags indexed by id; entries above the last id are meaningless. */
  #ofTokens: Uint8Array = new Uint8Array()
  #ofPairs: Uint8Array = new Uint8Array()

  constructor(state: QuestionState) {
    this.#state = state
  }

  /** Ids of tokens or pairs with an open question of this kind, ascending. */
  ids(kind: QuestionKind): Uint32Array {
    const flags = bits[kind] < bits.pairCreation ? this.#tokenFlags() : this.#pairFlags()
    const ids = new Uint32Array(flags.length)
    let count = 0
    for (let id = 0; id < flags.length; id += 1) {
      if ((flags[id]! & bits[kind]) === 0) continue
      ids[count] = id
      count += 1
    }
    return ids.slice(0, count)
  }

  /**
   * Updates which facts of a token are still unknown and must be asked of nodes. Must be called
   * when a token is added and when such a fact changes.
   */
  refreshToken(id: number): void {
    const { catalog, launches, series } = this.#state
    const isCreationOpen =
      catalog.tokenCreation(id) === undefined &&
      series.mainPairOf(id) !== 0 &&
      launches.createdAtS(id) === 0
    const flags =
      (catalog.supplies.isIncomplete(id) ? bits.holders : 0) |
      (isCreationOpen ? bits.tokenCreation : 0)
    this.#ofTokens = withFlags(this.#ofTokens, id, flags)
  }

  /**
   * Updates a pair's questions. Must be called when a pair is added and when data that its
   * questions depend on changes.
   */
  refreshPair(id: number): void {
    const { catalog, pairs } = this.#state
    const kind = catalog.pairKind(id)
    const hasShares = kind === 'constantProduct' && catalog.isTrusted(id)
    const hasBalances = kind === 'concentrated' || kind === 'vault'
    const isCreated = catalog.pairCreatedAtS(id) !== 0 || catalog.searchedPairs.has(id)
    const isInitialised = pairs.page(id + 1)[pairs.at(id + 1) + pairColumn.isInitialised] !== 0
    const flags =
      (isCreated ? 0 : bits.pairCreation) |
      (hasShares && catalog.pairShares(id) === null ? bits.shares : 0) |
      (hasBalances && !isInitialised ? bits.reserves : 0)
    this.#ofPairs = withFlags(this.#ofPairs, id, flags)
  }

  /** Updates questions of pairs that a block changed: their reserves may be known now. */
  pairsTouched(ids: readonly number[]): void {
    for (const id of ids) if (this.#ofPairs[id]! & bits.reserves) this.refreshPair(id)
  }

  imageFields(): Map<string, Uint8Array> {
    return new Map([
      ['tokens', this.#tokenFlags()],
      ['pairs', this.#pairFlags()],
    ])
  }

  fillFromImage(fields: ReadonlyMap<string, Uint8Array>): void {
    this.#ofTokens = imageField(fields, 'tokens')
    this.#ofPairs = imageField(fields, 'pairs')
  }

  #tokenFlags(): Uint8Array {
    return this.#ofTokens.subarray(0, this.#state.catalog.tokenCount)
  }

  #pairFlags(): Uint8Array {
    return this.#ofPairs.subarray(0, this.#state.catalog.pairCount)
  }
}

/** Sets the flags of an id, reusing the same memory while there is room. */
function withFlags(known: Uint8Array, id: number, flags: number): Uint8Array {
  let all = known
  if (id >= known.length) {
    all = new Uint8Array(gcNeutralBuffer(2 * (id + 1)))
    all.set(known)
  }
  all[id] = flags
  return all
}
