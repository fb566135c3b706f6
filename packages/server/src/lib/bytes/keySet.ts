const keyBytes = 32

/** Keys of 32 bytes, looked for in the bytes of something else without a copy of them. */
export class KeySet {
  /** By the first two bytes: next to no other key begins as one of these does. */
  readonly #isStart = new Uint8Array(1 << 16)
  readonly #keys: readonly Buffer[]

  constructor(keys: readonly Buffer[]) {
    this.#keys = keys
    for (const key of keys) this.#isStart[key.readUInt16LE(0)] = 1
  }

  /** Does one of the keys begin with these two bytes? */
  hasStart(first: number, second: number): boolean {
    return this.#isStart[first | (second << 8)] === 1
  }

  /** Is one of the keys among the `count` that stand one after another from `at` on? */
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
