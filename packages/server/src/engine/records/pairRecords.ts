import assert from 'node:assert'
import type { PairRecord } from '../../model/pair.ts'
import type { PoolKind } from '../../model/pool.ts'
import type { Imaged } from '../pages/imaged.ts'
import { AddressIndex } from './addressIndex.ts'
import { PackedRecords, type RecordsOptions } from './packedRecords.ts'
import { RecentRecords } from './recentRecords.ts'
import { RecordReader } from './recordReader.ts'
import { RecordWriter } from './recordWriter.ts'
import { Words } from './words.ts'

const flag = { isTrusted: 1, hasFee: 2, hasPool: 4, hasMore: 8 } as const
/** Most pairs have none: one list for all of them. */
const noParams: readonly bigint[] = []
const noOthers: readonly number[] = []

/** Records of pairs as bytes, by id and by address. */
export class PairRecords {
  private readonly packed: PackedRecords
  /** Null: nobody looks for addresses here. */
  private readonly addresses: AddressIndex | null
  private readonly recent = new RecentRecords<PairRecord>()
  private readonly words = new Words('pairWords')
  private readonly reader = new RecordReader()
  private readonly writer = new RecordWriter()

  constructor({ isIndexed, memory }: RecordsOptions) {
    this.packed = new PackedRecords('pairRecords', memory)
    this.addresses = isIndexed ? new AddressIndex('pairAddresses', memory, this.packed) : null
  }

  get count(): number {
    return this.packed.count
  }

  imaged(): readonly Imaged[] {
    const { packed, words, addresses } = this
    return addresses === null ? [packed, words] : [packed, words, addresses.table]
  }

  find(address: string): number | undefined {
    assert(this.addresses !== null, 'addresses are indexed')
    return this.addresses.find(address)
  }

  push(record: PairRecord): void {
    const id = this.packed.push()
    assert.equal(record.id, id, 'pair ids are dense')
    this.write(record)
    this.addresses?.add(id)
  }

  /** Another record of the same address. */
  set(record: PairRecord): void {
    this.write(record)
    this.recent.forget(record.id)
  }

  get(id: number): PairRecord {
    return this.recent.get(id) ?? this.recent.keep(this.read(id))
  }

  /** For whoever looks at many of them once. */
  read(id: number): PairRecord {
    const { reader, words } = this
    this.open(id)
    const address = reader.address()
    const flags = reader.byte()
    const platform = words.at(reader.whole())
    const createdAtS = reader.number()
    const kind = words.at(reader.whole()) as PoolKind
    const tokens = { token0Id: reader.whole(), token1Id: reader.whole() }
    const factory = words.at(reader.whole())!
    const amm = words.at(reader.whole())!
    const venue = words.at(reader.whole())!
    const feePpm = flags & flag.hasFee ? reader.number() : null
    const pool = flags & flag.hasPool ? reader.address() : null
    const hasMore = (flags & flag.hasMore) !== 0
    const params = hasMore ? this.list(() => reader.amount()) : noParams
    const otherIds = hasMore ? this.list(() => reader.whole()) : noOthers
    const isTrusted = (flags & flag.isTrusted) !== 0
    const { token0Id, token1Id } = tokens
    return {
      id,
      address,
      kind,
      token0Id,
      token1Id,
      factory,
      amm,
      isTrusted,
      feePpm,
      createdAtS,
      platform,
      venue,
      params,
      pool,
      otherIds,
    }
  }

  /** Launch platform word for a curve, else null. */
  platform(id: number): string | null {
    const { reader } = this
    this.open(id)
    reader.skipAddress()
    reader.byte()
    return this.words.at(reader.whole())
  }

  isTrusted(id: number): boolean {
    const { reader } = this
    this.open(id)
    reader.skipAddress()
    return (reader.byte() & flag.isTrusted) !== 0
  }

  /** 0: not known. */
  createdAtS(id: number): number {
    const { reader } = this
    this.open(id)
    reader.skipAddress()
    reader.byte()
    reader.whole()
    return reader.number()
  }

  kind(id: number): PoolKind {
    const { reader } = this
    this.open(id)
    reader.skipAddress()
    reader.byte()
    reader.whole()
    reader.number()
    return this.words.at(reader.whole()) as PoolKind
  }

  truncate(count: number): void {
    for (let id = this.packed.count - 1; id >= count; id -= 1) {
      this.addresses?.remove(id)
      this.recent.forget(id)
    }
    this.packed.truncate(count)
  }

  private open(id: number): void {
    if (!this.packed.open(id, this.reader)) assert.fail('the pair is known')
  }

  private list<item>(read: () => item): item[] {
    const items: item[] = []
    for (let left = this.reader.whole(); left > 0; left -= 1) items.push(read())
    return items
  }

  private write(record: PairRecord): void {
    const { feePpm, pool, params, otherIds } = record
    const { words } = this
    const writer = this.writer.start()
    const hasMore = params.length > 0 || otherIds.length > 0
    writer.address(record.address)
    writer.byte(
      (record.isTrusted ? flag.isTrusted : 0) |
        (feePpm === null ? 0 : flag.hasFee) |
        (pool === null ? 0 : flag.hasPool) |
        (hasMore ? flag.hasMore : 0),
    )
    writer.whole(words.placeOf(record.platform))
    writer.number(record.createdAtS)
    writer.whole(words.placeOf(record.kind))
    writer.whole(record.token0Id)
    writer.whole(record.token1Id)
    for (const word of [record.factory, record.amm, record.venue]) writer.whole(words.placeOf(word))
    if (feePpm !== null) writer.number(feePpm)
    if (pool !== null) writer.address(pool)
    if (hasMore) {
      writer.whole(params.length)
      for (const param of params) writer.amount(param)
      writer.whole(otherIds.length)
      for (const id of otherIds) writer.whole(id)
    }
    this.packed.set(record.id, writer)
  }
}
