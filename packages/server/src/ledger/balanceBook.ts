import type { BlockPlace } from '../model/block.ts'

/** One holder of one token, as the newest block left it. */
export class BalanceEntry {
  readonly tokenId: number
  readonly wallet: string
  /** Never negative once `stored` is known; until then the sum of what was added since. */
  amount = 0n
  /** What the store has, or will have once it has caught up. Null: it did not answer yet. */
  stored: bigint | null
  /** The parent of the first block that changed it without the store's answer. */
  untoldAfter: BlockPlace | null = null
  /** The store has this entry's newest value once it has persisted this block. */
  dirtyUntil = -1
  /** Undo records that speak of this very entry; it stays as long as there are any. */
  heldCount = 0
  /** Amount before the block with this stamp. */
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
 * Balances in memory, bounded. What the store does not have yet stays whatever the bound is;
 * of the rest, what was not used since the hand last passed goes first (a clock).
 */
export class BalanceBook {
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

  /** Shrinks to `sizeMax`, as far as the store has reached `persisted`; tells the tokens that lost a balance. */
  evict(sizeMax: number, persisted: number, onEvicted: (tokenId: number) => void): void {
    // In proportion to what was added, so that a full book of entries that must stay costs little a block.
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

  /** False: it was gone already; the hand may still stand in a map that was dropped whole. */
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
  const { stored, amount, dirtyUntil, heldCount } = entry
  return stored === amount && dirtyUntil <= persisted && heldCount === 0
}
