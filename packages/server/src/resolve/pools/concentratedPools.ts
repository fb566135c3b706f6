import type { RecordReader } from '../records/recordReader.ts'
import { AddressBloomFilter } from './addressBloomFilter.ts'

export type ConcentratedPoolsOptions = {
  /** Reads from the store. Throws only after all retries failed. */
  list: RecordReader['listPairs']
  filterBytes: number
}

const pageSize = 10_000
// Cache size, about 10 MB. A full cache is emptied.
const answersMax = 65_536

/**
 * Tells which addresses may be concentrated pools. It never misses one, but returns a few false
 * positives, which are then looked up. Checked for every token transfer, so it works in memory
 * only.
 */
export class ConcentratedPools {
  readonly #options: ConcentratedPoolsOptions
  readonly #filter: AddressBloomFilter
  /**
   * Cached answers: nearly every transfer names wallets that were checked before. Only `add` can
   * make an answer stale.
   */
  #answers = new Map<string, boolean>()
  /** Id of the last pair loaded from the store; null once all are loaded. */
  #filledId: number | null = -1

  constructor(options: ConcentratedPoolsOptions) {
    this.#options = options
    this.#filter = new AddressBloomFilter(options.filterBytes)
  }

  /** Loads the pools of earlier runs from the store, once. Resumes where it stopped if it threw. */
  async loadStored(): Promise<void> {
    while (this.#filledId !== null) {
      const list = { kind: 'concentrated', afterId: this.#filledId, limit: pageSize } as const
      const pools = await this.#options.list(list)
      for (const { address } of pools) this.add(address)
      this.#filledId = pools.length < pageSize ? null : pools.at(-1)!.id
    }
  }

  /** A revert does not remove the address again: a stale entry only costs a failed lookup. */
  add(address: string): void {
    this.#filter.add(address)
    // Cached answers for other addresses stay correct: those addresses are not pools.
    this.#answers.delete(address)
  }

  mayContain(address: string): boolean {
    const known = this.#answers.get(address)
    if (known !== undefined) return known
    const answer = this.#filter.has(address)
    if (this.#answers.size >= answersMax) this.#answers = new Map()
    this.#answers.set(address, answer)
    return answer
  }
}
