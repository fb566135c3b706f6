import assert from 'node:assert'
import type { ByteReader } from '../../lib/bytes/byteReader.ts'
import type { RecordCodec } from '../../model/recordType.ts'
import type { ImagePart } from '../pages/imagePart.ts'
import type { MarketMemory } from '../pages/marketMemory.ts'
import { AddressIndex } from './addressIndex.ts'
import { PackedRecords } from './packedRecords.ts'

export type RecordsOptions = {
  /** True if records can be found by address, which costs memory for an index. */
  isIndexed: boolean
  memory: MarketMemory
}

/** Maximum number of recently read records that are kept as objects; a power of two. */
const recentMax = 1 << 13

/** All token or all pair records of a market, stored as bytes and found by id or address. */
export class Records<record extends { readonly id: number; readonly address: string }> {
  readonly type: RecordCodec<record, 'id'>
  readonly packed: PackedRecords
  /** Finds ids by address; null if this process never searches for addresses. */
  readonly #addresses: AddressIndex | null
  /** Cache of decoded records: an id uses the slot of its id modulo `recentMax`. */
  readonly #recentRecords: (record | undefined)[] = []

  /** `name` is the singular name of a record: `token` or `pair`. */
  constructor(
    name: string,
    type: RecordCodec<record, 'id'>,
    { isIndexed, memory }: RecordsOptions,
  ) {
    this.type = type
    this.packed = new PackedRecords(`${name}Records`, memory)
    this.#addresses = isIndexed ? new AddressIndex(`${name}Addresses`, memory, this.packed) : null
  }

  get count(): number {
    return this.packed.count
  }

  imageParts(): readonly ImagePart[] {
    return this.#addresses === null ? [this.packed] : [this.packed, this.#addresses.table]
  }

  find(address: string): number | undefined {
    return this.#requireIndex().find(address)
  }

  findAnyCase(lowerAddress: string): number[] {
    return this.#requireIndex().findAnyCase(lowerAddress)
  }

  push(record: record): void {
    const id = this.packed.push()
    assert.equal(record.id, id, 'ids are dense')
    this.#write(record)
    this.#addresses?.add(id)
  }

  /** Adds the next record as bytes, whose shared texts are those of `packed`. */
  pushBytes(bytes: Uint8Array): void {
    const id = this.packed.push()
    this.packed.set(id, bytes, bytes.length)
    this.#addresses?.add(id)
  }

  /** Replaces a record by another one with the same address. */
  set(id: number, record: record): void {
    this.#write(record)
    this.#dropRecent(id)
  }

  get(id: number): record {
    const found = this.#recentRecords[id & (recentMax - 1)]
    if (found?.id === id) return found
    const place = id & (recentMax - 1)
    // Fills the array without holes: V8 turns a sparse array into a slow hash map.
    while (this.#recentRecords.length < place) this.#recentRecords.push(undefined)
    const record = this.read(id)
    this.#recentRecords[place] = record
    return record
  }

  /** Reads a record without caching it, for callers that read many records once. */
  read(id: number): record {
    return this.type.read(this.#open(id), id)
  }

  /**
   * Returns a reader positioned at one field of a record; later fields follow. Valid until the next
   * call.
   */
  seek(id: number, field: Exclude<keyof record, 'id'>): ByteReader {
    const reader = this.#open(id)
    this.type.seek(reader, field)
    return reader
  }

  truncate(count: number): void {
    for (let id = this.packed.count - 1; id >= count; id -= 1) {
      this.#addresses?.remove(id)
      this.#dropRecent(id)
    }
    this.packed.truncate(count)
  }

  #open(id: number): ByteReader {
    return this.packed.open(id) ?? assert.fail('the record is known')
  }

  #write(record: record): void {
    this.packed.write(record.id, (writer) => this.type.write(writer, record))
  }

  #dropRecent(id: number): void {
    const place = id & (recentMax - 1)
    if (this.#recentRecords[place]?.id === id) this.#recentRecords[place] = undefined
  }

  #requireIndex(): AddressIndex {
    return this.#addresses ?? assert.fail('addresses are indexed')
  }
}
