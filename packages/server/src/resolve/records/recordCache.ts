import { leastNumberAfter } from '../../model/block.ts'
import { BoundedSet } from './boundedSet.ts'

type Identified = { id: number; address: string }

export type RecordCacheOptions<record> = {
  /** Reads the store; throws only when it gave up. */
  find: (addresses: readonly string[]) => Promise<readonly record[]>
  nextId: number
  /** Records in memory, apart from those the store does not have yet. */
  recordsMax: number
  /** Addresses remembered as not in the store. */
  absentMax: number
}

/**
 * Records by address: those the store does not have yet, then a bounded cache, then the store. The
 * store lags behind, so of an address that a revert took away it may still tell; it is not asked
 * about those until it has passed the revert.
 */
export class RecordCache<record extends Identified> {
  readonly #options: RecordCacheOptions<record>
  /** Created by blocks that the store does not have yet, with the block it must have reached. */
  readonly #unstored = new Map<string, { record: record; until: number }>()
  /** Least recently used first. */
  readonly #stored = new Map<string, record>()
  readonly #absent: BoundedSet<string>
  readonly #revertedTrades = new Map<string, number>()
  /** Everything there is is in memory: the store was empty at the start and nothing was evicted since. */
  #isWhole: boolean
  #nextId: number
  // News of blocks up to here may still speak of a branch that was reverted.
  #revertedNumber = -1

  constructor(options: RecordCacheOptions<record>) {
    this.#options = options
    this.#nextId = options.nextId
    this.#isWhole = options.nextId === 0
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
    // Far from its bound nothing is evicted soon, and there is no need to know who was used last.
    if (!record || 2 * this.#stored.size < this.#options.recordsMax) return record
    this.#stored.delete(address)
    this.#stored.set(address, record)
    return record
  }

  /** Brings into memory those that exist, and tells which of them were not there before. */
  async load(...lists: readonly Iterable<string>[]): Promise<record[]> {
    if (this.#isWhole) return []
    const missing = new Set<string>()
    for (const addresses of lists)
      for (const address of addresses)
        if (!this.get(address) && !this.#revertedTrades.has(address) && !this.#absent.has(address))
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

  /** Gives the next id. */
  create(number: number, make: (id: number) => record): record {
    const record = make(this.#nextId++)
    const until = Math.max(number, leastNumberAfter(this.#revertedNumber))
    this.#unstored.set(record.address, { record, until })
    this.#absent.delete(record.address)
    this.#revertedTrades.delete(record.address)
    return record
  }

  /** Puts a better record of the same id in place. */
  replace(record: record): void {
    const unstored = this.#unstored.get(record.address)
    if (unstored) unstored.record = record
    else if (this.#stored.has(record.address)) this.#stored.set(record.address, record)
  }

  /** Takes back what a block created, and the ids with it. */
  revert(number: number, created: readonly Identified[]): void {
    this.#revertedNumber = Math.max(this.#revertedNumber, number)
    for (const { id, address } of created) {
      this.#unstored.delete(address)
      this.#stored.delete(address)
      this.#revertedTrades.set(address, leastNumberAfter(this.#revertedNumber))
      this.#nextId = Math.min(this.#nextId, id)
    }
  }

  persisted(number: number): void {
    for (const [address, { record, until }] of this.#unstored)
      if (until <= number) {
        this.#unstored.delete(address)
        this.#stored.set(record.address, record)
      }
    for (const [address, until] of this.#revertedTrades)
      if (until <= number) this.#revertedTrades.delete(address)
  }

  /** Shrinks to its bound; between blocks only, for a block's own records must stay until it is resolved. */
  evict(): void {
    for (const oldest of this.#stored.keys()) {
      if (this.#stored.size <= this.#options.recordsMax) return
      this.#stored.delete(oldest)
      this.#isWhole = false
    }
  }
}
