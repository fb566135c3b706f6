/** At most `sizeMax` entries: what was set longest ago goes first. What is set again becomes the newest. */
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

  /** The value, which becomes the newest: what is least recently used goes first. */
  use(key: key): value | undefined {
    const value = this.get(key)
    if (value !== undefined) this.set(key, value)
    return value
  }
}
