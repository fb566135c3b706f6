import type { TokenSupply } from '../model/token.ts'

const startCount = 1 << 10
const columns = 4

/** Columns of a token's amounts. */
export const amountColumn = {
  /** All but what was burnt or is out of circulation for good, in raw units. */
  issued: 0,
  /** The same without what is locked. */
  circulating: 1,
  holders: 2,
} as const

/**
 * How much of each token there is, as doubles. Every price is multiplied by them; sums of big integers would cost more
 * than all else that a price needs.
 */
export class SupplyAmounts {
  /** By token id and column. */
  rows = new Float64Array(startCount * columns)
  /** What the amounts are of: a supply that changes is another object. */
  private readonly supplies: (TokenSupply | null)[] = []

  /** Where the amounts of a token begin, by its supply as it is now. */
  at(tokenId: number, supply: TokenSupply): number {
    if (this.supplies[tokenId] !== supply) this.set(tokenId, supply)
    return tokenId * columns
  }

  private set(tokenId: number, supply: TokenSupply): void {
    const at = tokenId * columns
    if (at >= this.rows.length) {
      const grown = new Float64Array(2 ** Math.ceil(Math.log2(at + columns)))
      grown.set(this.rows)
      this.rows = grown
    }
    // No holes: an array with few of its places filled would be a slow map.
    while (this.supplies.length < tokenId) this.supplies.push(null)
    this.supplies[tokenId] = supply
    const issued = supply.total - supply.burnt - supply.other
    this.rows[at + amountColumn.issued] = Number(issued)
    this.rows[at + amountColumn.circulating] = Number(issued - supply.locked)
    this.rows[at + amountColumn.holders] = supply.holders
  }
}
