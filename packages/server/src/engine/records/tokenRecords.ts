import assert from 'node:assert'
import type { TokenRecord } from '../../model/token.ts'
import type { Imaged } from '../pages/imaged.ts'
import { AddressIndex } from './addressIndex.ts'
import { PackedRecords, type RecordsOptions } from './packedRecords.ts'
import { RecentRecords } from './recentRecords.ts'
import { RecordReader } from './recordReader.ts'
import { RecordWriter } from './recordWriter.ts'

/** Records of tokens as bytes, by id and by address. */
export class TokenRecords {
  private readonly packed: PackedRecords
  /** Null: nobody looks for addresses here. */
  private readonly addresses: AddressIndex | null
  private readonly recent = new RecentRecords<TokenRecord>()
  private readonly reader = new RecordReader()
  private readonly writer = new RecordWriter()

  constructor({ isIndexed, memory }: RecordsOptions) {
    this.packed = new PackedRecords('tokenRecords', memory)
    this.addresses = isIndexed ? new AddressIndex('tokenAddresses', memory, this.packed) : null
  }

  get count(): number {
    return this.packed.count
  }

  imaged(): readonly Imaged[] {
    return this.addresses === null ? [this.packed] : [this.packed, this.addresses.table]
  }

  find(address: string): number | undefined {
    assert(this.addresses !== null, 'addresses are indexed')
    return this.addresses.find(address)
  }

  findAnyCase(lowerAddress: string): number[] {
    assert(this.addresses !== null, 'addresses are indexed')
    return this.addresses.findAnyCase(lowerAddress)
  }

  push(record: TokenRecord): void {
    const id = this.packed.push()
    assert.equal(record.id, id, 'token ids are dense')
    this.write(record)
    this.addresses?.add(id)
  }

  /** Another record of the same address. */
  set(id: number, record: TokenRecord): void {
    this.write(record)
    this.recent.forget(id)
  }

  get(id: number): TokenRecord {
    return this.recent.get(id) ?? this.recent.keep(this.read(id))
  }

  /** For whoever looks at many of them once. */
  read(id: number): TokenRecord {
    const { reader } = this
    if (!this.packed.open(id, reader)) assert.fail('the token is known')
    return {
      id,
      address: reader.address(),
      isUnreadable: reader.byte() === 1,
      decimals: reader.number(),
      seenAtS: reader.number(),
      symbol: reader.text(),
      name: reader.text(),
    }
  }

  /** Is its symbol or its name this word, which is in lower case? Undefined: the record has to be read to tell. */
  isNamed(id: number, word: string, lengthMax: number): boolean | undefined {
    const { reader } = this
    if (!this.packed.open(id, reader)) assert.fail('the token is known')
    reader.skipAddress()
    reader.byte()
    reader.number()
    reader.number()
    const isSymbol = reader.isWord(word, lengthMax)
    return isSymbol === false ? reader.isWord(word, lengthMax) : isSymbol
  }

  truncate(count: number): void {
    for (let id = this.packed.count - 1; id >= count; id -= 1) {
      this.addresses?.remove(id)
      this.recent.forget(id)
    }
    this.packed.truncate(count)
  }

  private write({ id, address, isUnreadable, decimals, seenAtS, symbol, name }: TokenRecord): void {
    const writer = this.writer.start()
    writer.address(address)
    writer.byte(Number(isUnreadable))
    writer.number(decimals)
    writer.number(seenAtS)
    writer.text(symbol)
    writer.text(name)
    this.packed.set(id, writer)
  }
}
