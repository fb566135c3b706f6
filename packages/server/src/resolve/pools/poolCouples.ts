import type { PoolMention } from '../../model/decodedBlock.ts'
import type { PairRecord } from '../../model/pair.ts'
import type { ChainReader } from '../chainReader.ts'
import type { RecordCache } from '../records/recordCache.ts'
import type { RecordReader } from '../records/recordReader.ts'

export type PoolCouplesOptions = {
  /** Reads the store; throws only when it gave up. */
  find: RecordReader['findCouples']
  /** Nothing is in the store. */
  isEmpty: boolean
  pairs: Pick<RecordCache<PairRecord>, 'get'>
  coupleIdOf: ChainReader['coupleIdOf']
}

const none: ReadonlySet<string> = new Set()

/** Which pairs are couples of a pool with more than two tokens: an event of one changes what the others have, too. */
export class PoolCouples {
  readonly #options: PoolCouplesOptions
  /** Ids of pairs by pool, of pools that were asked for since the start. */
  readonly #byPool = new Map<string, Set<string>>()

  constructor(options: PoolCouplesOptions) {
    this.#options = options
  }

  /** Ids of the couples of these pools, as far as blocks so far made them known. */
  async load(pools: ReadonlySet<string>): Promise<string[]> {
    if (pools.size === 0) return []
    const missing = [...pools].filter((pool) => !this.#byPool.has(pool))
    const { isEmpty, find } = this.#options
    const found = missing.length === 0 || isEmpty ? [] : await find(missing)
    for (const pool of missing) this.#byPool.set(pool, new Set())
    for (const pair of found) this.add(pair)
    return [...pools].flatMap((pool) => [...this.#byPool.get(pool)!])
  }

  /** The pair of an event: its pool, or the couple of the pool's tokens that it is of. */
  pairOf({ pool, couple, venues }: PoolMention): PairRecord | undefined {
    const { pairs, coupleIdOf } = this.#options
    const pair = pairs.get(pool)
    if (couple === undefined) return pair
    // Some pools trade both their tokens and what these stand for, as two venues.
    if (pair !== undefined && venues?.includes(pair.venue) !== false) return pair
    return pairs.get(coupleIdOf(pool, couple))
  }

  /** All pairs of a pool. */
  pairsOf(pool: string): PairRecord[] {
    const { pairs } = this.#options
    const pair = pairs.get(pool)
    if (pair !== undefined) return [pair]
    return [...(this.#byPool.get(pool) ?? none)].flatMap((address) => pairs.get(address) ?? [])
  }

  /** A revert need not take it away again: it is only looked up for nothing then. */
  add({ pool, address }: PairRecord): void {
    if (pool === null) return
    const couples = this.#byPool.get(pool) ?? new Set()
    this.#byPool.set(pool, couples.add(address))
  }
}
