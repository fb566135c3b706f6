import { strict as assert } from 'node:assert'

// Addresses have up to 44 characters, names of chains up to 32.
const idBytesMax = 80
// Half of the slots stay free, so that a search looks at one or two.
const slotsPerId = 2

/**
 * Numbers by the bytes of ids. A map of texts is spread over the whole heap, and a batch of ids would wait for memory at
 * every step; here an id is found in two small arrays, without a text being made of it.
 */
export class IdTable {
  readonly #countMax: number
  readonly #slots: Int32Array
  readonly #hashes: Int32Array
  readonly #lengths: Uint8Array
  readonly #bytes: Uint8Array
  #count = 0

  constructor(countMax: number) {
    this.#countMax = countMax
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(countMax * slotsPerId + 1)))
    this.#hashes = new Int32Array(countMax)
    this.#lengths = new Uint8Array(countMax)
    this.#bytes = new Uint8Array(countMax * idBytesMax)
  }

  get count(): number {
    return this.#count
  }

  /** The number of the id that stands in these bytes, or -1. */
  find(hash: number, bytes: Uint8Array, start: number, end: number): number {
    const mask = this.#slots.length - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = this.#slots[slot]! - 1
      if (number < 0 || (this.#hashes[number] === hash && this.#isAt(number, bytes, start, end)))
        return number
    }
  }

  /** Numbers count up from 0. The id must not be in it, and there must be room. */
  add(hash: number, bytes: Uint8Array, start: number, end: number): number {
    assert(end - start <= idBytesMax, 'every id of a token is shorter')
    assert(this.#count < this.#countMax, 'there is room')
    const number = this.#count
    this.#count += 1
    this.#hashes[number] = hash
    this.#lengths[number] = end - start
    this.#bytes.set(bytes.subarray(start, end), number * idBytesMax)
    const mask = this.#slots.length - 1
    let slot = hash & mask
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
    this.#slots[slot] = number + 1
    return number
  }

  clear(): void {
    this.#slots.fill(0)
    this.#count = 0
  }

  #isAt(number: number, bytes: Uint8Array, start: number, end: number): boolean {
    if (this.#lengths[number] !== end - start) return false
    const from = number * idBytesMax - start
    const kept = this.#bytes
    for (let at = start; at < end; at += 1) if (kept[from + at] !== bytes[at]) return false
    return true
  }
}
