import { toLower, upperA, upperZ } from '../../lib/bytes/byteReader.ts'
import { ByteWriter, textForm } from '../../lib/bytes/byteWriter.ts'
import type { PageBudget } from '../pages/pageBudget.ts'
import { KeyTable } from '../tables/keyTable.ts'
import type { PackedRecords } from './packedRecords.ts'

/** Keys are below. */
const keyEnd = 2 ** 48
const high32 = 2 ** 32
const high16Mask = 0xffff

/** The key at which an address, as a record has it, is looked for first. */
export type AddressHash = (bytes: Uint8Array, from: number, end: number) => number

/**
 * Ids by the address that their record begins with: in a table of ids plus 1 by a hash of the address. One whose key is taken has the
 * next that is free, so that those of one hash are found in a row. Of all records only the one that is added, removed or
 * found is read, and those in its row: the others may be anywhere.
 */
export class AddressIndex {
  readonly table: KeyTable
  private readonly records: PackedRecords
  private readonly hash: AddressHash
  private readonly sought = new ByteWriter()

  constructor(
    name: string,
    memory: PageBudget,
    records: PackedRecords,
    hash: AddressHash = addressHash,
  ) {
    this.table = new KeyTable(name, memory)
    this.records = records
    this.hash = hash
  }

  find(address: string): number | undefined {
    const { sought, table } = this
    sought.start().text(address)
    for (let key = this.hash(sought.bytes, 0, sought.length); ; key = after(key)) {
      const held = table.get(key)
      if (held === 0) return undefined
      if (this.beginsWithSought(held - 1)) return held - 1
    }
  }

  /** Those whose address is this one, in whatever case, ascending. */
  findAnyCase(lowerAddress: string): number[] {
    const { sought } = this
    sought.start().text(lowerAddress)
    const ids = this.idsLike(lowerAddress)
    // Hex has a form of its own in lower case only.
    if (formOf(sought.bytes, 0) === textForm.hex) {
      sought.start().plainText(lowerAddress)
      ids.push(...this.idsLike(lowerAddress))
    }
    return ids.sort((a, b) => a - b)
  }

  /** The record is there already. */
  add(id: number): void {
    const { table } = this
    let key = this.homeOf(id)
    while (table.add(key, id + 1) !== 0) key = after(key)
  }

  /** The record is still there. */
  remove(id: number): void {
    const { table } = this
    let hole = this.homeOf(id)
    while (table.get(hole) !== id + 1) hole = after(hole)
    // What comes behind moves up, unless it would be before its own place.
    for (let key = after(hole); ; key = after(key)) {
      const held = table.get(key)
      if (held === 0) break
      if (distance(this.homeOf(held - 1), key) < distance(hole, key)) continue
      table.set(hole, held)
      hole = key
    }
    table.delete(hole)
  }

  /** Of the form that is sought. */
  private idsLike(lowerAddress: string): number[] {
    const { sought, table } = this
    const form = formOf(sought.bytes, 0)
    const ids: number[] = []
    for (let key = this.hash(sought.bytes, 0, sought.length); ; key = after(key)) {
      const held = table.get(key)
      if (held === 0) return ids
      const reader = this.records.open(held - 1)!
      if (formOf(reader.bytes, reader.at) !== form) continue
      if (reader.text().toLowerCase() === lowerAddress) ids.push(held - 1)
    }
  }

  private beginsWithSought(id: number): boolean {
    const { bytes: soughtBytes, length } = this.sought
    const { bytes, at, end } = this.records.open(id)!
    return end - at >= length && bytes.compare(soughtBytes, 0, length, at, at + length) === 0
  }

  private homeOf(id: number): number {
    const reader = this.records.open(id)!
    const from = reader.at
    reader.skipText()
    return this.hash(reader.bytes, from, reader.at)
  }
}

/** The form of the text that begins here. */
function formOf(bytes: Uint8Array, at: number): number {
  return bytes[at]! & 3
}

function after(key: number): number {
  return key + 1 === keyEnd ? 0 : key + 1
}

/** Steps from a key to one behind it. */
function distance(from: number, to: number): number {
  return to >= from ? to - from : to - from + keyEnd
}

/**
 * 48 bits of all bytes: addresses that begin or end alike are made at will. Texts have the same in whatever case, so that
 * one table finds both.
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
