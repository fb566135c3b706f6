/** A pool as the last block left it. */
export type SeenPool = {
  reserve0: bigint | null
  reserve1: bigint | null
  priceRaw: number | null
}

/** Of an earlier run, with its address. */
export type SeededPool = SeenPool & { pool: string }

/** Pools as the newest canonical block left them. */
export type SeenPools = {
  get(pool: string): SeenPool | undefined
  /** The block with this hash left these pools so. */
  add(hash: string, changed: ReadonlyMap<string, SeenPool>): void
  /** That block is not canonical any more: its pools are as before it. */
  revert(hash: string): void
}

// Far more than chains revert.
const blocksMax = 512

/** `seeds`: of an earlier run, those that traded last at the end. */
export function createSeenPools(seeds: readonly SeededPool[], poolsMax: number): SeenPools {
  // Least recently seen first.
  const pools = new Map<string, SeenPool>(seeds.map(({ pool, ...seen }) => [pool, seen]))
  /** By hash, oldest first: what was known of their pools before these blocks. */
  const before = new Map<string, Map<string, SeenPool | undefined>>()

  return {
    get: (pool) => pools.get(pool),
    add(hash, changed) {
      const old = new Map<string, SeenPool | undefined>()
      for (const [pool, seen] of changed) {
        old.set(pool, pools.get(pool))
        pools.delete(pool)
        pools.set(pool, seen)
      }
      trim(pools, poolsMax)
      before.set(hash, old)
      trim(before, blocksMax)
    },
    revert(hash) {
      const old = before.get(hash)
      // Of a block of an earlier run, or one that is long ago, nobody knows what was before it.
      if (old === undefined) return pools.clear()
      before.delete(hash)
      for (const [pool, seen] of old) {
        if (seen === undefined) pools.delete(pool)
        else pools.set(pool, seen)
      }
    },
  }
}

/** Forgets what was put in longest ago. */
export function trim(map: Map<string, unknown>, max: number): void {
  for (const key of map.keys()) {
    if (map.size <= max) return
    map.delete(key)
  }
}
