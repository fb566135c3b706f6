import { toLower, upperA, upperZ } from '../../lib/bytes/byteReader.ts'
import { ByteWriter, textForm } from '../../lib/bytes/byteWriter.ts'
import type { MarketMemory } from '../pages/marketMemory.ts'
import { KeyTable } from '../tables/keyTable.ts'
import type { PackedRecords } from './packedRecords.ts'

/** Keys of the hash table are below this number, which a double holds exactly. */
const keyEnd = 2 ** 48
const high32 = 2 ** 32
const high16Mask = 0xffff

/** Hashes an address, as a record stores it, to the key at which its search starts. */
export type AddressHash = (bytes: Uint8Array, from: number, end: number) => number

/**
 * Finds ids of records by address, which is the first field of a record. A hash table maps a hash
 * of the address to the id plus 1; if a key is taken, the next free key is used. A search reads
 * only the records with the same hash and their neighbors, because other records may be on disk.
 */
export class AddressIndex {
  readonly table: KeyTable
  readonly #records: PackedRecords
  readonly #hash: AddressHash
  readonly #searched = new ByteWriter()

  constructor(
    name: string,
    memory: MarketMemory,
    records: PackedRecords,
    hash: AddressHash = addressHash,
  ) {
    this.table = new KeyTable(name, memory)
    this.#records = records
    this.#hash = hash
  }

  find(address: string): number | undefined {
    const { table } = this
    const searched = this.#searched
    searched.start().text(address)
    for (let key = this.#hash(searched.bytes, 0, searched.length); ; key = nextKey(key)) {
      const held = table.get(key)
      if (held === 0) return undefined
      if (this.#startsWithSearched(held - 1)) return held - 1
    }
  }

  /** Returns ids of records whose address equals this one in any case, ascending. */
  findAnyCase(lowerAddress: string): number[] {
    const searched = this.#searched
    searched.start().text(lowerAddress)
    const ids = this.#idsLike(lowerAddress)
    // Addresses in hex are stored in a compact form only if they are lower case.
    if (formOf(searched.bytes, 0) === textForm.hex) {
      searched.start().plainText(lowerAddress)
      ids.push(...this.#idsLike(lowerAddress))
    }
    return ids.sort((a, b) => a - b)
  }

  /** Adds an id to the index. Its record must exist already. */
  add(id: number): void {
    const { table } = this
    let key = this.#homeKey(id)
    while (table.add(key, id + 1) !== 0) key = nextKey(key)
  }

  /** Removes an id from the index. Its record must still exist. */
  remove(id: number): void {
    const { table } = this
    let hole = this.#homeKey(id)
    while (table.get(hole) !== id + 1) hole = nextKey(hole)
    // Closes the gap: moves later entries up, but never before the key of their own hash.
    for (let key = nextKey(hole); ; key = nextKey(key)) {
      const held = table.get(key)
      if (held === 0) break
      if (distance(this.#homeKey(held - 1), key) < distance(hole, key)) continue
      table.set(hole, held)
      hole = key
    }
    table.delete(hole)
  }

  /**
   * Like `findAnyCase`, but only for addresses stored in the same form (hex or text) as the
   * searched one.
   */
  #idsLike(lowerAddress: string): number[] {
    const { table } = this
    const searched = this.#searched
    const form = formOf(searched.bytes, 0)
    const ids: number[] = []
    for (let key = this.#hash(searched.bytes, 0, searched.length); ; key = nextKey(key)) {
      const held = table.get(key)
      if (held === 0) return ids
      const reader = this.#records.open(held - 1)!
      if (formOf(reader.bytes, reader.at) !== form) continue
      if (reader.text().toLowerCase() === lowerAddress) ids.push(held - 1)
    }
  }

  #startsWithSearched(id: number): boolean {
    const { bytes: soughtBytes, length } = this.#searched
    const { bytes, at, end } = this.#records.open(id)!
    return end - at >= length && bytes.compare(soughtBytes, 0, length, at, at + length) === 0
  }

  #homeKey(id: number): number {
    const reader = this.#records.open(id)!
    const from = reader.at
    reader.skipText()
    return this.#hash(reader.bytes, from, reader.at)
  }
}

/** Returns how the text at this position is stored: as hex or as plain text. */
function formOf(bytes: Uint8Array, at: number): number {
  return bytes[at]! & 3
}

function nextKey(key: number): number {
  return key + 1 === keyEnd ? 0 : key + 1
}

/** Number of steps from one key of the table to a later one, across the end if needed. */
function distance(from: number, to: number): number {
  return to >= from ? to - from : to - from + keyEnd
}

/**
 * 48-bit hash over all bytes of an address: anyone can create addresses that share a start or an
 * end. Plain text is hashed in lower case, so that one index serves searches with and without case.
 */
function addressHash(bytes: Uint8Array, from: number, end: number): number {
  const isText = formOf(bytes, from) !== textForm.hex
  let low = 0x9e3779b1 ^ (end - from)
  let high = 0x85ebca6b
  for (let at = from; at < end; at += 1) {
    const byte = bytes[at]!
    const lower = isText && byte >= upperA && byte <= upperZ ? byte + toLower : byte
    low = Math.imul(low ^ lower, 0xcc9e2d51)
    low ^= low >>> 15
    high = Math.imul(high ^ lower, 0x1b873593)
    high ^= high >>> 13
  }
  return ((high ^ (high >>> 16)) & high16Mask) * high32 + (low >>> 0)
}
