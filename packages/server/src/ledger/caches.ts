import type { BlockId } from '../model/block.ts'
import type { ChainProfile } from '../model/chainProfile.ts'
import type { TokenSupply } from '../model/token.ts'

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

/** Kinds of holders whose tokens do not circulate. */
export type SupplyPart = 'burnt' | 'locked' | 'other'

/** Supply of one token after the newest block. Until `isKnown`, only the sum of changes. */
export class SupplyState {
  readonly tokenId: number
  total = 0n
  burnt = 0n
  locked = 0n
  other = 0n
  holders = 0
  isComplete = true
  isKnown: boolean
  /** Parent of the first block that changed this supply before the store answered. */
  unreportedAfter: BlockId | null = null
  /** True: the store misses changes of this supply, and no written block will add them. */
  isLagging = false
  /** Number of undo records that refer to this object. It is not evicted while there are any. */
  undoRefCount = 0
  dirtyUntil = -1
  /** Supply before the block that `stamp` identifies. */
  before: TokenSupply | null = null
  stamp = 0

  constructor(tokenId: number, known: TokenSupply | null) {
    this.tokenId = tokenId
    this.isKnown = known !== null
    if (known) this.set(known)
  }

  set(supply: TokenSupply): void {
    this.total = supply.total
    this.burnt = supply.burnt
    this.locked = supply.locked
    this.other = supply.other
    this.holders = supply.holders
    this.isComplete = supply.isComplete
  }

  add(supply: TokenSupply, sign: 1n | -1n): void {
    this.total += sign * supply.total
    this.burnt += sign * supply.burnt
    this.locked += sign * supply.locked
    this.other += sign * supply.other
    this.holders += Number(sign) * supply.holders
  }

  read(): TokenSupply {
    const { tokenId, total, burnt, locked, other, holders, isComplete } = this
    return { tokenId, total, burnt, locked, other, holders, isComplete }
  }
}

export function emptySupply(tokenId: number): TokenSupply {
  return { tokenId, total: 0n, burnt: 0n, locked: 0n, other: 0n, holders: 0, isComplete: true }
}

export function isSameSupply(a: TokenSupply, b: TokenSupply): boolean {
  return (
    a.total === b.total &&
    a.burnt === b.burnt &&
    a.locked === b.locked &&
    a.other === b.other &&
    a.holders === b.holders &&
    a.isComplete === b.isComplete
  )
}

/** Wallets that are out of circulation, with their kind. A wallet in several lists counts once. */
export function supplyPartsOf(profile: ChainProfile): ReadonlyMap<string, SupplyPart> {
  const parts = new Map<string, SupplyPart>()
  for (const wallet of profile.outOfCirculation) parts.set(wallet, 'other')
  for (const wallet of profile.lockers) parts.set(wallet, 'locked')
  for (const wallet of profile.burnAddresses) parts.set(wallet, 'burnt')
  return parts
}

const evictStepsMax = 10_000

/** Bounded cache of supplies. Evicts the least recently used supplies that the store has. */
export class SupplyCache {
  readonly #states = new Map<number, SupplyState>()

  get size(): number {
    return this.#states.size
  }

  get(tokenId: number): SupplyState | undefined {
    return this.#states.get(tokenId)
  }

  /** Makes a supply the most recently used, so that it is evicted last. */
  use(state: SupplyState): void {
    this.#states.delete(state.tokenId)
    this.#states.set(state.tokenId, state)
  }

  add(tokenId: number, known: TokenSupply | null): SupplyState {
    const state = new SupplyState(tokenId, known)
    this.#states.set(tokenId, state)
    return state
  }

  drop(tokenId: number): void {
    this.#states.delete(tokenId)
  }

  evict(sizeMax: number, persisted: number): void {
    // Supplies that must stay are the newest and come last, so a few steps find one to evict.
    let stepsLeft = evictStepsMax
    for (const [tokenId, state] of this.#states) {
      if (this.#states.size <= sizeMax || stepsLeft-- === 0) return
      const isStored = state.isKnown && !state.isLagging && state.dirtyUntil <= persisted
      if (isStored && state.undoRefCount === 0) this.#states.delete(tokenId)
    }
  }

  values(): IterableIterator<SupplyState> {
    return this.#states.values()
  }
}

/** State that a pool's last event reported, for later events that do not report it. */
export type LedgerPoolState = {
  reserve0: bigint
  reserve1: bigint
  priceRaw: number | null
  /** Numbers that only the pair's venue interprets. @default none */
  venueState?: readonly bigint[] | undefined
}

/** Bounded cache of the last states of pools. Evicts the least recently changed pool. */
export class PoolStateCache {
  readonly #states = new Map<number, LedgerPoolState>()
  readonly #sizeMax: number

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax
  }

  get(pairId: number): LedgerPoolState | undefined {
    return this.#states.get(pairId)
  }

  set(pairId: number, state: LedgerPoolState | null): void {
    this.#states.delete(pairId)
    if (state === null) return
    this.#states.set(pairId, state)
    if (this.#states.size <= this.#sizeMax) return
    for (const oldest of this.#states.keys()) {
      this.#states.delete(oldest)
      return
    }
  }
}
