import { isTotalSupplyKnown, type TokenSupply } from '../../model/token.ts'

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
export class SupplyAmounts {
  /** Cached amounts: four columns for each slot of the cache. */
  rows = new Float64Array(firstSlots * columns)
  /**
   * Indexed by slot: id of the token whose amounts are cached there, plus 1; 0 if the slot is
   * empty.
   */
  private slotOwners = new Uint32Array(firstSlots)

  /** Returns where the amounts of a token start in `rows`; -1 if they are not cached. */
  find(tokenId: number): number {
    const place = tokenId & (this.slotOwners.length - 1)
    return this.slotOwners[place] === tokenId + 1 ? place * columns : -1
  }

  store(supply: TokenSupply): number {
    const { tokenId, holders } = supply
    if (tokenId >= this.slotOwners.length && this.slotOwners.length < slotsMax) this.grow(tokenId)
    const place = tokenId & (this.slotOwners.length - 1)
    const at = place * columns
    const isKnown = isTotalSupplyKnown(supply)
    const issued = isKnown ? supply.total - supply.burnt - supply.other : 0n
    this.slotOwners[place] = tokenId + 1
    this.rows[at + amountColumn.issued] = Number(issued)
    this.rows[at + amountColumn.circulating] = isKnown ? Number(issued - supply.locked) : 0
    this.rows[at + amountColumn.isKnown] = isKnown ? 1 : 0
    this.rows[at + amountColumn.holders] = holders
    return at
  }

  /** Drops the cached amounts of a token whose supply changed. */
  forget(tokenId: number): void {
    if (this.find(tokenId) >= 0) this.slotOwners[tokenId & (this.slotOwners.length - 1)] = 0
  }

  /** Enlarges the cache and empties it; amounts are computed again when they are read. */
  private grow(tokenId: number): void {
    let places = this.slotOwners.length
    while (places <= tokenId && places < slotsMax) places *= 2
    this.slotOwners = new Uint32Array(places)
    this.rows = new Float64Array(places * columns)
  }
}
