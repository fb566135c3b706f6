/** Set of at most `sizeMax` keys; evicts the least recently used. */
export class BoundedSet<key> {
  readonly #keys = new Set<key>()
  readonly #sizeMax: number

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax
  }

  get size(): number {
    return this.#keys.size
  }

  has(key: key): boolean {
    if (!this.#keys.delete(key)) return false
    this.#keys.add(key)
    return true
  }

  add(key: key): void {
    this.#keys.delete(key)
    this.#keys.add(key)
    if (this.#keys.size <= this.#sizeMax) return
    for (const oldest of this.#keys) {
      this.#keys.delete(oldest)
      return
    }
  }

  delete(key: key): void {
    this.#keys.delete(key)
  }
}
