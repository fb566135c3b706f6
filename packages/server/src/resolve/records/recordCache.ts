import { BoundedSet } from '../../lib/boundedSet.ts'
import { lowestNumberAfter } from '../../model/block.ts'
import type { PairRecord } from '../../model/pair.ts'
import type { PoolKind } from '../../model/pool.ts'
import type { TokenRecord } from '../../model/token.ts'

type PairList = {
  kind: PoolKind
  /** Lists ids above this one; -1 lists all. */
  afterId: number
  limit: number
}

/**
 * Reads stored pairs and tokens, as of the last persisted block. Unknown addresses are missing from
 * the result, which is in any order.
 */
export type RecordReader = {
  findPairs(addresses: readonly string[]): Promise<readonly PairRecord[]>
  /** Returns all pairs of pools that have more than two tokens. */
  findCouples(pools: readonly string[]): Promise<readonly PairRecord[]>
  /**
   * Returns pairs by ascending id. `address` is the account that holds the pair's reserves. Only
   * the last page has fewer than `limit`.
   */
  listPairs(list: PairList): Promise<readonly { id: number; address: string }[]>
  findTokens(addresses: readonly string[]): Promise<readonly TokenRecord[]>
}

type Identified = { id: number; address: string }

type RecordCacheOptions<record> = {
  /** Reads from the store. Throws only after all retries failed. */
  find: (addresses: readonly string[]) => Promise<readonly record[]>
  nextId: number
  /** Records in memory, not counting those that are not stored yet. */
  recordsMax: number
  /** Number of addresses remembered as not in the store. */
  absentMax: number
}

/**
 * Records by address: those not stored yet, then a bounded cache, then the store. The store lags
 * behind, so it may still return records that a revert removed. It is not asked for their addresses
 * until it has passed the revert.
 */
export class RecordCache<record extends Identified> {
  readonly #options: RecordCacheOptions<record>
  /** Records that are not stored yet, with the block number the store must reach first. */
  readonly #unstored = new Map<string, { record: record; until: number }>()
  /** Cached records, least recently used first. */
  readonly #stored = new Map<string, record>()
  readonly #absent: BoundedSet<string>
  readonly #revertedAddresses = new Map<string, number>()
  /**
   * True while all existing records are in memory: the store was empty at the start and nothing was
   * evicted.
   */
  #isComplete: boolean
  #nextId: number
  // Until the store passes this block, its reports may be about a reverted branch.
  #revertedNumber = -1

  constructor(options: RecordCacheOptions<record>) {
    this.#options = options
    this.#nextId = options.nextId
    this.#isComplete = options.nextId === 0
    this.#absent = new BoundedSet(options.absentMax)
  }

  get nextId(): number {
    return this.#nextId
  }

  get size(): number {
    return this.#unstored.size + this.#stored.size
  }

  get(address: string): record | undefined {
    const unstored = this.#unstored.get(address)
    if (unstored) return unstored.record
    const record = this.#stored.get(address)
    // Far below its bound the cache evicts nothing soon, so the order of use need not be kept.
    if (!record || 2 * this.#stored.size < this.#options.recordsMax) return record
    this.#stored.delete(address)
    this.#stored.set(address, record)
    return record
  }

  /**
   * Loads the existing records of these addresses into memory. Returns those that were not in
   * memory.
   */
  async load(...lists: readonly Iterable<string>[]): Promise<record[]> {
    if (this.#isComplete) return []
    const missing = new Set<string>()
    for (const addresses of lists)
      for (const address of addresses)
        if (
          !this.get(address) &&
          !this.#revertedAddresses.has(address) &&
          !this.#absent.has(address)
        )
          missing.add(address)
    if (missing.size === 0) return []
    const found = await this.#options.find([...missing])
    for (const record of found) {
      missing.delete(record.address)
      this.#stored.set(record.address, record)
    }
    for (const address of missing) this.#absent.add(address)
    return [...found]
  }

  /** Creates a record with the next id. */
  create(number: number, make: (id: number) => record): record {
    const record = make(this.#nextId++)
    const until = Math.max(number, lowestNumberAfter(this.#revertedNumber))
    this.#unstored.set(record.address, { record, until })
    this.#absent.delete(record.address)
    this.#revertedAddresses.delete(record.address)
    return record
  }

  /** Replaces a record by an updated one with the same id. */
  replace(record: record): void {
    const unstored = this.#unstored.get(record.address)
    if (unstored) unstored.record = record
    else if (this.#stored.has(record.address)) this.#stored.set(record.address, record)
  }

  /** Removes the records a block created and frees their ids. */
  revert(number: number, created: readonly Identified[]): void {
    this.#revertedNumber = Math.max(this.#revertedNumber, number)
    for (const { id, address } of created) {
      this.#unstored.delete(address)
      this.#stored.delete(address)
      this.#revertedAddresses.set(address, lowestNumberAfter(this.#revertedNumber))
      this.#nextId = Math.min(this.#nextId, id)
    }
  }

  onPersisted(number: number): void {
    for (const [address, { record, until }] of this.#unstored)
      if (until <= number) {
        this.#unstored.delete(address)
        this.#stored.set(record.address, record)
      }
    for (const [address, until] of this.#revertedAddresses)
      if (until <= number) this.#revertedAddresses.delete(address)
  }

  /**
   * Shrinks the cache to its bound. Only called between blocks: the records of a block must stay in
   * memory until the block is resolved.
   */
  evict(): void {
    for (const oldest of this.#stored.keys()) {
      if (this.#stored.size <= this.#options.recordsMax) return
      this.#stored.delete(oldest)
      this.#isComplete = false
    }
  }
}
