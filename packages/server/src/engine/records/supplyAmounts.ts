import { isTotalKnown, type TokenSupply } from '../../model/token.ts'

const columns = 4
/** Powers of two. */
const firstPlaces = 1 << 8
const placesMax = 1 << 16

/** Columns of a token's amounts. */
export const amountColumn = {
  /** All but what was burnt or is out of circulation for good, in raw units. */
  issued: 0,
  /** The same without what is locked. */
  circulating: 1,
  holders: 2,
  /** 0: the token has not said how much of it there is, and both amounts are 0. */
  isKnown: 3,
} as const

/**
 * How much there is of tokens that were read not long ago, as doubles. Every price is multiplied by them; sums of big
 * integers would cost more than all else that a price needs.
 */
export class SupplyAmounts {
  /** By place and column. */
  rows = new Float64Array(firstPlaces * columns)
  /** Whose amounts are in a place: its id plus 1. */
  private owners = new Uint32Array(firstPlaces)

  /** Where the amounts of a token begin, -1: they are not here. */
  find(tokenId: number): number {
    const place = tokenId & (this.owners.length - 1)
    return this.owners[place] === tokenId + 1 ? place * columns : -1
  }

  keep(supply: TokenSupply): number {
    const { tokenId, holders } = supply
    if (tokenId >= this.owners.length && this.owners.length < placesMax) this.grow(tokenId)
    const place = tokenId & (this.owners.length - 1)
    const at = place * columns
    const isKnown = isTotalKnown(supply)
    const issued = isKnown ? supply.total - supply.burnt - supply.other : 0n
    this.owners[place] = tokenId + 1
    this.rows[at + amountColumn.issued] = Number(issued)
    this.rows[at + amountColumn.circulating] = isKnown ? Number(issued - supply.locked) : 0
    this.rows[at + amountColumn.isKnown] = isKnown ? 1 : 0
    this.rows[at + amountColumn.holders] = holders
    return at
  }

  /** The supply has changed. */
  forget(tokenId: number): void {
    if (this.find(tokenId) >= 0) this.owners[tokenId & (this.owners.length - 1)] = 0
  }

  /** Empty: what was here is made again when it is read. */
  private grow(tokenId: number): void {
    let places = this.owners.length
    while (places <= tokenId && places < placesMax) places *= 2
    this.owners = new Uint32Array(places)
    this.rows = new Float64Array(places * columns)
  }
}
