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
