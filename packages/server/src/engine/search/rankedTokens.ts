/** Of a slot: a place plus 1, or 0, and the id of the token there. */
const slotWidth = 2
/** So many slots are a line of the cache. */
const lineBits = 3
const lineMask = (1 << lineBits) - 1

/** The tokens of a ranking, each with a place, in the order in which they came, and found by id. Used again by a later one. */
export class RankedTokens {
  count = 0
  /** By place. */
  tokenIds = new Int32Array(0)
  /** Wallets of all its pairs, each counted once, and of how many pairs: for those with several. */
  makers = new Float64Array(0)
  pairCounts = new Int32Array(0)
  /** A power of two of slots, at most half of them taken. */
  private slots = new Int32Array(slotWidth)

  /** Before the first of at most so many. */
  start(max: number): void {
    this.clear()
    if (max <= this.tokenIds.length) return
    const length = Math.max(max, 2 * this.tokenIds.length)
    this.tokenIds = new Int32Array(length)
    this.makers = new Float64Array(length)
    this.pairCounts = new Int32Array(length)
    this.slots = new Int32Array(slotWidth * 2 ** Math.ceil(Math.log2(2 * length)))
  }

  clear(): void {
    if (this.count > 0) this.slots.fill(0)
    this.count = 0
  }

  /** -1: it is not here. */
  find(tokenId: number): number {
    return this.slots[this.slotOf(tokenId)]! - 1
  }

  /** The next place, where it is not here yet. */
  placeOf(tokenId: number): number {
    const { slots } = this
    const at = this.slotOf(tokenId)
    const known = slots[at]!
    if (known !== 0) return known - 1
    const place = this.count
    this.count = place + 1
    slots[at] = place + 1
    slots[at + 1] = tokenId
    this.tokenIds[place] = tokenId
    this.pairCounts[place] = 0
    return place
  }

  /** Where it is, or the empty slot in which it would be. */
  private slotOf(tokenId: number): number {
    const { slots } = this
    const mask = slots.length - slotWidth
    // Those that came together are together here: tokens of one hour trade in one hour.
    const line = Math.imul(tokenId >>> lineBits, 0x9e3779b1)
    const home = ((line ^ (line >>> 16)) << lineBits) | (tokenId & lineMask)
    let at = (home * slotWidth) & mask
    while (slots[at] !== 0 && slots[at + 1] !== tokenId) at = (at + slotWidth) & mask
    return at
  }
}
