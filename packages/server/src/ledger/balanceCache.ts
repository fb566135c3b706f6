import type { BlockId } from '../model/block.ts'

/** Balance of one holder of one token, after the newest block. */
export class BalanceEntry {
  readonly tokenId: number
  readonly wallet: string
  /** The balance. Never negative once `stored` is known; until then only the sum of changes. */
  amount = 0n
  /**
   * Balance in the store, or once the store has caught up. Null: the store has not answered yet.
   */
  stored: bigint | null
  /** Parent of the first block that changed this balance before the store answered. */
  unreportedAfter: BlockId | null = null
  /**
   * The store has the newest value of this balance once it has persisted the block of this number.
   */
  dirtyUntil = -1
  /** Number of undo records that refer to this object. It is not evicted while there are any. */
  undoRefCount = 0
  /** Amount before the block that `stamp` identifies. */
  before = 0n
  stamp = 0
  isUsed = true

  constructor(tokenId: number, wallet: string, stored: bigint | null) {
    this.tokenId = tokenId
    this.wallet = wallet
    this.stored = stored
    if (stored !== null) this.amount = stored
  }
}

/**
 * Bounded cache of balances. What the store does not have yet always stays. The rest is evicted by
 * the clock algorithm: first balances unused since the hand last passed.
 */
export class BalanceCache {
  readonly #byToken = new Map<number, Map<string, BalanceEntry>>()
  #size = 0
  #addedCount = 0
  #hand: Generator<BalanceEntry> | null = null

  get size(): number {
    return this.#size
  }

  get(tokenId: number, wallet: string): BalanceEntry | undefined {
    const entry = this.#byToken.get(tokenId)?.get(wallet)
    if (entry) entry.isUsed = true
    return entry
  }

  add(tokenId: number, wallet: string, stored: bigint | null): BalanceEntry {
    let wallets = this.#byToken.get(tokenId)
    if (!wallets) {
      wallets = new Map()
      this.#byToken.set(tokenId, wallets)
    }
    const entry = new BalanceEntry(tokenId, wallet, stored)
    wallets.set(wallet, entry)
    this.#size++
    this.#addedCount++
    return entry
  }

  dropToken(tokenId: number): void {
    this.#size -= this.#byToken.get(tokenId)?.size ?? 0
    this.#byToken.delete(tokenId)
  }

  /**
   * Evicts balances down to `sizeMax`, but only those that the store has at block `persisted`.
   * Calls `onEvicted` with the token of each.
   */
  evict(sizeMax: number, persisted: number, onEvicted: (tokenId: number) => void): void {
    // In proportion to additions, so that a full cache of balances that must stay costs little per
    // block.
    let stepsLeft = 4 * this.#addedCount + 1_000
    this.#addedCount = 0
    while (this.#size > sizeMax && stepsLeft-- > 0) {
      const entry = this.#step()
      if (!entry) return
      if (entry.isUsed) entry.isUsed = false
      else if (isEvictable(entry, persisted) && this.#drop(entry)) onEvicted(entry.tokenId)
    }
  }

  *entries(): Generator<BalanceEntry> {
    for (const wallets of this.#byToken.values()) yield* wallets.values()
  }

  #step(): BalanceEntry | undefined {
    this.#hand ??= this.entries()
    let next = this.#hand.next()
    if (next.done) {
      this.#hand = this.entries()
      next = this.#hand.next()
    }
    return next.done ? undefined : next.value
  }

  /**
   * Removes a balance. False: it was already removed, because the hand may still be in the map of a
   * dropped token.
   */
  #drop(entry: BalanceEntry): boolean {
    const wallets = this.#byToken.get(entry.tokenId)
    if (wallets?.get(entry.wallet) !== entry) return false
    wallets.delete(entry.wallet)
    if (wallets.size === 0) this.#byToken.delete(entry.tokenId)
    this.#size--
    return true
  }
}

function isEvictable(entry: BalanceEntry, persisted: number): boolean {
  const { stored, amount, dirtyUntil, undoRefCount } = entry
  return stored === amount && dirtyUntil <= persisted && undoRefCount === 0
}
