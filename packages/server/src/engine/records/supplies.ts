import assert from 'node:assert'
import { isTotalSupplyKnown, supplyCodec, type TokenSupply } from '../../model/token.ts'
import type { ImagePart } from '../pages/imagePart.ts'
import type { MarketMemory } from '../pages/marketMemory.ts'
import { RevertibleValues, Revisions } from '../tables/revertibleValues.ts'
import { PackedRecords } from './packedRecords.ts'

const columns = 4
/** Number of cached tokens at first and at most; both are powers of two. */
const firstSlots = 1 << 8
const slotsMax = 1 << 16

/** Columns of a token's cached supply amounts. */
export const amountColumn = {
  /** Total supply without burnt tokens and tokens out of circulation for good, in raw units. */
  issued: 0,
  /** Issued supply without locked tokens, in raw units. */
  circulating: 1,
  holders: 2,
  /** 0 if the token's contract did not report its total supply; both amounts are then 0. */
  isKnown: 3,
} as const

/**
 * Cache of recently read token supplies as doubles. Every price is multiplied by a supply, and
 * summing big integers would cost more than everything else that a price needs.
 */
class SupplyAmounts {
  /** Cached amounts: four columns for each slot of the cache. */
  rows = new Float64Array(firstSlots * columns)
  /**
   * Indexed by slot: id of the token whose amounts are cached there, plus 1; 0 if the slot is
   * empty.
   */
  #slotOwners = new Uint32Array(firstSlots)

  /** Returns where the amounts of a token start in `rows`; -1 if they are not cached. */
  find(tokenId: number): number {
    const place = tokenId & (this.#slotOwners.length - 1)
    return this.#slotOwners[place] === tokenId + 1 ? place * columns : -1
  }

  store(supply: TokenSupply): number {
    const { tokenId, holders } = supply
    if (tokenId >= this.#slotOwners.length && this.#slotOwners.length < slotsMax)
      this.#grow(tokenId)
    const place = tokenId & (this.#slotOwners.length - 1)
    const at = place * columns
    const isKnown = isTotalSupplyKnown(supply)
    const issued = isKnown ? supply.total - supply.burnt - supply.other : 0n
    this.#slotOwners[place] = tokenId + 1
    this.rows[at + amountColumn.issued] = Number(issued)
    this.rows[at + amountColumn.circulating] = isKnown ? Number(issued - supply.locked) : 0
    this.rows[at + amountColumn.isKnown] = isKnown ? 1 : 0
    this.rows[at + amountColumn.holders] = holders
    return at
  }

  /** Drops the cached amounts of a token whose supply changed. */
  forget(tokenId: number): void {
    if (this.find(tokenId) >= 0) this.#slotOwners[tokenId & (this.#slotOwners.length - 1)] = 0
  }

  /** Enlarges the cache and empties it; amounts are computed again when they are read. */
  #grow(tokenId: number): void {
    let places = this.#slotOwners.length
    while (places <= tokenId && places < slotsMax) places *= 2
    this.#slotOwners = new Uint32Array(places)
    this.rows = new Float64Array(places * columns)
  }
}

/**
 * Token supplies: stored as bytes, and kept as objects while a block that changed them can be
 * reverted.
 */
export class Supplies {
  /** Amounts that the last call of `amountsAt` refers to. */
  readonly amounts = new SupplyAmounts()
  readonly revisions = new Revisions()
  readonly packed: PackedRecords
  readonly #versions = new RevertibleValues<TokenSupply | null>({
    get: (id) => this.#read(id),
    set: (id, supply) => this.#write(id, supply),
  })

  constructor(memory: MarketMemory) {
    this.packed = new PackedRecords('supplies', memory)
  }

  /** Adds the next token, whose supply is unknown. */
  addUnknown(): void {
    this.packed.push()
  }

  /** Supply of a token; null if unknown. */
  get(tokenId: number): TokenSupply | null {
    return this.#versions.get(tokenId)
  }

  /** Number of holders, without reading the rest of the supply; null if unknown. */
  holders(tokenId: number): number | null {
    const newest = this.#versions.newestRevertible(tokenId)
    if (newest !== undefined) return newest?.holders ?? null
    const reader = this.packed.open(tokenId)
    if (reader === null) return null
    supplyCodec.seek(reader, 'holders')
    return reader.whole()
  }

  /** True if the supply of a token is known but its holders are not counted completely. */
  isIncomplete(tokenId: number): boolean {
    const newest = this.#versions.newestRevertible(tokenId)
    if (newest !== undefined) return newest?.isComplete === false
    const reader = this.packed.open(tokenId)
    if (reader === null) return false
    supplyCodec.seek(reader, 'isComplete')
    return !reader.flag()
  }

  /** `number` is the block that reported the supply, or null if that block is final. */
  set(supply: TokenSupply, number: number | null): void {
    const { tokenId } = supply
    assert(tokenId < this.packed.count, 'the token is known')
    this.#invalidate(tokenId)
    if (number === null) this.#versions.setFinal(tokenId, supply)
    else this.#versions.set(tokenId, number, supply)
  }

  revert(tokenId: number, number: number): void {
    this.#invalidate(tokenId)
    this.#versions.revert(tokenId, number)
  }

  finalize(tokenId: number, number: number): void {
    this.#versions.finalize(tokenId, number)
  }

  truncate(count: number): void {
    for (let id = count; id < this.packed.count; id += 1) {
      this.#versions.remove(id)
      this.#invalidate(id)
    }
    this.packed.truncate(count)
  }

  /**
   * Returns where the amounts of a token start in `amounts.rows`, valid until the next call; -1 if
   * its supply is unknown.
   */
  amountsAt(tokenId: number): number {
    const at = this.amounts.find(tokenId)
    if (at >= 0) return at
    const supply = this.get(tokenId)
    return supply === null ? -1 : this.amounts.store(supply)
  }

  imageParts(): readonly ImagePart[] {
    return [this.packed]
  }

  #invalidate(tokenId: number): void {
    this.amounts.forget(tokenId)
    this.revisions.increment(tokenId)
  }

  #read(tokenId: number): TokenSupply | null {
    const reader = this.packed.open(tokenId)
    return reader === null ? null : supplyCodec.read(reader, tokenId)
  }

  #write(tokenId: number, supply: TokenSupply | null): void {
    if (supply === null) this.packed.clear(tokenId)
    else this.packed.write(tokenId, (writer) => supplyCodec.write(writer, supply))
  }
}
