const keyBytes = 32

/** Keys of 32 bytes that are searched in other bytes without copying. */
export class KeySet {
  /** Indexed by the first two bytes: almost no other key shares them. */
  readonly #isStart = new Uint8Array(1 << 16)
  readonly #keys: readonly Buffer[]

  constructor(keys: readonly Buffer[]) {
    this.#keys = keys
    for (const key of keys) this.#isStart[key.readUInt16LE(0)] = 1
  }

  /** Does a key of the set begin with these two bytes? */
  hasStart(first: number, second: number): boolean {
    return this.#isStart[first | (second << 8)] === 1
  }

  /** Is a key of the set among the `count` consecutive ones from `at` on? */
  hasOneOf(bytes: Buffer, at: number, count: number): boolean {
    const end = Math.min(at + count * keyBytes, bytes.length - keyBytes + 1)
    for (let start = at; start < end; start += keyBytes)
      if (this.hasStart(bytes[start]!, bytes[start + 1]!) && this.#has(bytes, start)) return true
    return false
  }

  #has(bytes: Buffer, at: number): boolean {
    return this.#keys.some((key) => key.compare(bytes, at, at + keyBytes) === 0)
  }
}
