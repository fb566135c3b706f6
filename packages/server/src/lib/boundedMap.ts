/**
 * A map of at most `sizeMax` entries. The oldest is evicted first; setting an entry again makes it
 * the newest.
 */
export class BoundedMap<key, value> extends Map<key, value> {
  readonly #sizeMax: number

  constructor(sizeMax: number) {
    super()
    this.#sizeMax = sizeMax
  }

  override set(key: key, value: value): this {
    this.delete(key)
    super.set(key, value)
    if (this.size > this.#sizeMax) this.delete(this.keys().next().value!)
    return this
  }

  /** Returns the value and makes it the newest, for eviction of the least recently used. */
  use(key: key): value | undefined {
    const value = this.get(key)
    if (value !== undefined) this.set(key, value)
    return value
  }
}
