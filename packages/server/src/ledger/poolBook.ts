/** What a pool's last event said; serves where a later event does not report it. */
export type LastState = {
  reserve0: bigint
  reserve1: bigint
  priceRaw: number | null
  /** Numbers of the pair's venue. @default none */
  told?: readonly bigint[] | undefined
}

/** Last states of pools in memory, bounded, least recently used first out. */
export class PoolBook {
  readonly #states = new Map<number, LastState>()
  readonly #sizeMax: number

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax
  }

  get(pairId: number): LastState | undefined {
    return this.#states.get(pairId)
  }

  set(pairId: number, state: LastState | null): void {
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
