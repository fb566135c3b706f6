import type { RecordReader } from '../records/recordCache.ts'

// Bits set per address: the fewest that keep false positives rare for a million pools at the
// default size.
const bitsPerAddress = 4

// FNV-1a, and a variant with another seed and prime: two independent hashes.
const seed1 = 0x811c_9dc5
const prime1 = 0x0100_0193
const seed2 = 0x9747_b28c
const prime2 = 0x85eb_ca6b

/**
 * Bloom filter of addresses in fixed memory: false positives are possible, false negatives are not.
 */
export class AddressBloomFilter {
  readonly #bits: Uint8Array
  readonly #bitCount: number

  constructor(sizeBytes: number) {
    this.#bits = new Uint8Array(sizeBytes)
    this.#bitCount = 8 * sizeBytes
  }

  add(address: string): void {
    const [first, step] = hashesOf(address)
    for (let i = 0; i < bitsPerAddress; i++) {
      const bit = (first + i * step) % this.#bitCount
      this.#bits[bit >>> 3]! |= 1 << (bit & 7)
    }
  }

  has(address: string): boolean {
    const [first, step] = hashesOf(address)
    for (let i = 0; i < bitsPerAddress; i++) {
      const bit = (first + i * step) % this.#bitCount
      if ((this.#bits[bit >>> 3]! & (1 << (bit & 7))) === 0) return false
    }
    return true
  }
}

function hashesOf(address: string): [number, number] {
  let hash1 = seed1
  let hash2 = seed2
  for (let i = 0; i < address.length; i++) {
    const code = address.charCodeAt(i)
    hash1 = Math.imul(hash1 ^ code, prime1)
    hash2 = Math.imul(hash2 ^ code, prime2)
    // The low bits of a product do not depend on the high bits of its factors, so mix the high bits
    // in.
    hash2 ^= hash2 >>> 15
  }
  hash1 ^= hash1 >>> 16
  return [hash1 >>> 0, hash2 >>> 0]
}

type ConcentratedPoolsOptions = {
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
