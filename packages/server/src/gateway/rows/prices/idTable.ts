import { strict as assert } from 'node:assert'
import { randomInt } from 'node:crypto'

const seedMax = 2 ** 31

/** Random start value of id hashes, so that clients cannot craft ids with colliding hashes. */
export const hashSeed = randomInt(seedMax)

/** Adds one byte, or four bytes read as one integer, to a hash. */
export function addToHash(hash: number, word: number): number {
  return Math.imul(hash ^ word, 0x5bd1e995)
}

/** Finishes a hash: mixes all its bits into the lowest bits, which select the slot. */
export function finishHash(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return mixed ^ (mixed >>> 13)
}

/**
 * Returns a view that reads four bytes at once. Hash steps depend on each other, so fewer steps are
 * faster.
 */
export function dataViewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}

export function hashIdBytes(bytes: Uint8Array, start: number, end: number): number {
  const view = dataViewOf(bytes)
  let hash = hashSeed
  let at = start
  for (; at + 4 <= end; at += 4) hash = addToHash(hash, view.getInt32(at, true))
  for (; at < end; at += 1) hash = addToHash(hash, bytes[at]!)
  return finishHash(hash)
}

type IdTableOptions = {
  countMax: number
  /** Memory that holds the id of each number, at fixed distances of `strideBytes`. */
  bytes: Uint8Array
  firstAt: number
  strideBytes: number
}

/** Upper bound of a token id's length: addresses have up to 44 characters, chain names up to 32. */
export const idBytesMax = 80
// Half of the slots stay free, so a lookup examines one or two slots.
const slotsPerId = 2

/**
 * A hash table from ids, as bytes, to numbers. A Map of strings is scattered over the heap, so a
 * batch of ids would wait for memory at every step. Here a lookup touches one small array and the
 * stored id, and creates no string.
 */
export class IdTable {
  readonly #options: IdTableOptions
  /** Alternating: number + 1 (0 marks a free slot), then hash. */
  readonly #slots: Int32Array
  readonly #mask: number
  readonly #lengths: Uint8Array
  readonly #view: DataView
  #count = 0

  constructor(options: IdTableOptions) {
    this.#options = options
    const slots = 2 ** Math.ceil(Math.log2(options.countMax * slotsPerId + 1))
    this.#mask = slots - 1
    this.#slots = new Int32Array(slots * 2)
    this.#lengths = new Uint8Array(options.countMax)
    this.#view = dataViewOf(options.bytes)
  }

  get count(): number {
    return this.#count
  }

  /** Returns the number assigned to the id in these bytes, or -1. */
  find(hash: number, bytes: DataView, start: number, end: number): number {
    const slots = this.#slots
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const number = slots[slot * 2]! - 1
      if (number < 0 || (slots[slot * 2 + 1] === hash && this.#isAt(number, bytes, start, end)))
        return number
    }
  }

  /**
   * Assigns the next number, counting from 0. The id must be new and there must be room. The caller
   * then writes the id's bytes.
   */
  add(hash: number, sizeBytes: number): number {
    assert(sizeBytes <= idBytesMax, 'every id of a token is shorter')
    assert(this.#count < this.#options.countMax, 'there is room')
    const given = this.#count
    this.#count += 1
    this.#lengths[given] = sizeBytes
    const slots = this.#slots
    let slot = hash & this.#mask
    while (slots[slot * 2] !== 0) slot = (slot + 1) & this.#mask
    slots[slot * 2] = this.#count
    slots[slot * 2 + 1] = hash
    return given
  }

  clear(): void {
    this.#slots.fill(0)
    this.#count = 0
  }

  #isAt(number: number, bytes: DataView, start: number, end: number): boolean {
    if (this.#lengths[number] !== end - start) return false
    const { firstAt, strideBytes } = this.#options
    const known = this.#view
    const from = number * strideBytes + firstAt - start
    let at = start
    for (; at + 4 <= end; at += 4)
      if (known.getInt32(from + at, true) !== bytes.getInt32(at, true)) return false
    for (; at < end; at += 1) if (known.getUint8(from + at) !== bytes.getUint8(at)) return false
    return true
  }
}
