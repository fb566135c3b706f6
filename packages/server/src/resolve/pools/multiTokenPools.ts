import type { PoolReference } from '../../model/decodedBlock.ts'
import type { PairRecord } from '../../model/pair.ts'
import type { ChainReader } from '../chainReader.ts'
import type { RecordCache, RecordReader } from '../records/recordCache.ts'

type MultiTokenPoolsOptions = {
  /** Reads from the store. Throws only after all retries failed. */
  find: RecordReader['findCouples']
  /** True if the store has no pairs at all. */
  isEmpty: boolean
  pairs: Pick<RecordCache<PairRecord>, 'get'>
  coupleIdOf: ChainReader['coupleIdOf']
}

const none: ReadonlySet<string> = new Set()

/**
 * Pairs of pools with more than two tokens: an event of one pair also changes reserves of the
 * others.
 */
export class MultiTokenPools {
  readonly #options: MultiTokenPoolsOptions
  /** Addresses of pairs by pool, for pools that were looked up since the start. */
  readonly #byPool = new Map<string, Set<string>>()

  constructor(options: MultiTokenPoolsOptions) {
    this.#options = options
  }

  /** Loads the pairs of these pools from the store. Returns their addresses. */
  async load(pools: ReadonlySet<string>): Promise<string[]> {
    if (pools.size === 0) return []
    const missing = [...pools].filter((pool) => !this.#byPool.has(pool))
    const { isEmpty, find } = this.#options
    const found = missing.length === 0 || isEmpty ? [] : await find(missing)
    for (const pool of missing) this.#byPool.set(pool, new Set())
    for (const pair of found) this.add(pair)
    return [...pools].flatMap((pool) => [...this.#byPool.get(pool)!])
  }

  /**
   * Returns the pair of an event: the pool itself, or the traded token pair of a pool with more
   * than two tokens.
   */
  pairOf({ pool, couple, venues }: PoolReference): PairRecord | undefined {
    const { pairs, coupleIdOf } = this.#options
    const pair = pairs.get(pool)
    if (couple === undefined) return pair
    // Some pools trade their tokens and also the assets those tokens wrap, as two venues.
    if (pair !== undefined && venues?.includes(pair.venue) !== false) return pair
    return pairs.get(coupleIdOf(pool, couple))
  }

  /** Returns all pairs of a pool. */
  pairsOf(pool: string): PairRecord[] {
    const { pairs } = this.#options
    const pair = pairs.get(pool)
    if (pair !== undefined) return [pair]
    return [...(this.#byPool.get(pool) ?? none)].flatMap((address) => pairs.get(address) ?? [])
  }

  /** A revert does not remove the pair again: a stale entry only costs a failed lookup. */
  add({ pool, address }: PairRecord): void {
    if (pool === null) return
    const couples = this.#byPool.get(pool) ?? new Set()
    this.#byPool.set(pool, couples.add(address))
  }
}
