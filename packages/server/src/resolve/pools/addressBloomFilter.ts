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
