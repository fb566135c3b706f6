import type { PageBudget } from '../pages/pageBudget.ts'
import { KeyTable } from '../tables/keyTable.ts'
import type { PackedRecords } from './packedRecords.ts'
import { RecordReader, toLower, upperA, upperZ } from './recordReader.ts'
import { addressForm, RecordWriter } from './recordWriter.ts'

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
  private readonly reader = new RecordReader()
  private readonly sought = new RecordWriter()

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
    const { sought, records, table } = this
    sought.start().address(address)
    for (let key = this.hash(sought.bytes, 0, sought.length); ; key = after(key)) {
      const held = table.get(key)
      if (held === 0) return undefined
      if (records.startsWith(held - 1, sought)) return held - 1
    }
  }

  /** Those whose address is this one, in whatever case, ascending. */
  findAnyCase(lowerAddress: string): number[] {
    const { sought } = this
    sought.start().address(lowerAddress)
    const ids = this.idsLike(lowerAddress)
    // What is hexadecimal has a form of its own in lower case only.
    if (sought.bytes[0] !== addressForm.text) {
      sought.start().byte(addressForm.text)
      sought.text(lowerAddress)
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
    const { sought, reader, table } = this
    const ids: number[] = []
    for (let key = this.hash(sought.bytes, 0, sought.length); ; key = after(key)) {
      const held = table.get(key)
      if (held === 0) return ids
      this.records.open(held - 1, reader)
      if (reader.bytes[reader.at] !== sought.bytes[0]) continue
      if (reader.address().toLowerCase() === lowerAddress) ids.push(held - 1)
    }
  }

  private homeOf(id: number): number {
    const { reader } = this
    this.records.open(id, reader)
    const from = reader.at
    reader.skipAddress()
    return this.hash(reader.bytes, from, reader.at)
  }
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
  const isText = bytes[from] === addressForm.text
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
