const keyBytes = 32

/** Keys of 32 bytes, looked for in the bytes of something else without a copy of them. */
export class KeySet {
  /** By the first four bytes. */
  readonly #byStart = new Map<number, Buffer[]>()

  constructor(keys: readonly Buffer[]) {
    for (const key of keys) {
      const start = key.readInt32LE(0)
      this.#byStart.set(start, [...(this.#byStart.get(start) ?? []), key])
    }
  }

  /** Is one of the keys among the `count` that stand one after another from `at` on? */
  hasOneOf(bytes: Buffer, at: number, count: number): boolean {
    const end = Math.min(at + count * keyBytes, bytes.length - keyBytes + 1)
    for (let start = at; start < end; start += keyBytes) {
      const found = this.#byStart.get(bytes.readInt32LE(start))
      if (found?.some((key) => key.compare(bytes, start, start + keyBytes) === 0)) return true
    }
    return false
  }
}
