/** Reserves and price of a pool after the last accepted block. */
export type LastPoolState = {
  reserve0: bigint | null
  reserve1: bigint | null
  priceRaw: number | null
}

/** State of a pool saved by an earlier run, with the pool's address. */
export type SavedPoolState = LastPoolState & { pool: string }

/** Pool states after the newest canonical block, by address. */
type LastPoolStates = {
  get(pool: string): LastPoolState | undefined
  /** Records the pool states after the block with this hash. */
  add(hash: string, changed: ReadonlyMap<string, LastPoolState>): void
  /** Restores the pool states before this block, which is no longer canonical. */
  revert(hash: string): void
}

// Number of blocks that can be reverted, far more than chains revert.
const blocksMax = 512

/** `seeds`: pool states of an earlier run, most recently traded last. */
export function createLastPoolStates(
  seeds: readonly SavedPoolState[],
  poolsMax: number,
): LastPoolStates {
  // Pool states by address, least recently traded first.
  const pools = new Map<string, LastPoolState>(seeds.map(({ pool, ...seen }) => [pool, seen]))
  /** Earlier states of the pools a block changed, by block hash, oldest block first. */
  const before = new Map<string, Map<string, LastPoolState | undefined>>()

  return {
    get: (pool) => pools.get(pool),
    add(hash, changed) {
      const old = new Map<string, LastPoolState | undefined>()
      for (const [pool, seen] of changed) {
        old.set(pool, pools.get(pool))
        pools.delete(pool)
        pools.set(pool, seen)
      }
      trimOldest(pools, poolsMax)
      before.set(hash, old)
      trimOldest(before, blocksMax)
    },
    revert(hash) {
      const old = before.get(hash)
      // The states before a block of an earlier run, or before a very old block, are unknown.
      if (old === undefined) return pools.clear()
      before.delete(hash)
      for (const [pool, seen] of old) {
        if (seen === undefined) pools.delete(pool)
        else pools.set(pool, seen)
      }
    },
  }
}

/** Drops the oldest entries above `max`. */
export function trimOldest(map: Map<string, unknown>, max: number): void {
  for (const key of map.keys()) {
    if (map.size <= max) return
    map.delete(key)
  }
}
