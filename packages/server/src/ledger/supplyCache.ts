import type { BlockId } from '../model/block.ts'
import type { ChainProfile } from '../model/chainProfile.ts'
import type { TokenSupply } from '../model/token.ts'

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
