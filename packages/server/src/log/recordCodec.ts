import type { BlockRef } from '../model/block.ts'
import type { PairCreation, PairShares, TokenCreation } from '../model/logEntry.ts'
import type { PairRecord } from '../model/pair.ts'
import type { TokenRecord, TokenSupply } from '../model/token.ts'
import type { EntryReader } from './entryReader.ts'
import type { EntryWriter } from './entryWriter.ts'

// Positions are written: add at the end, never reorder.
const poolKinds = ['constantProduct', 'concentrated', 'curve', 'vault'] as const

export function encodeRef(writer: EntryWriter, ref: BlockRef): void {
  writer.varint(ref.number)
  writer.string(ref.hash)
  writer.varintOrNull(ref.parentNumber < 0 ? null : ref.parentNumber)
  writer.string(ref.parentHash)
  writer.varint(ref.timeS)
}

export function decodeRef(reader: EntryReader): BlockRef {
  return {
    number: reader.varint(),
    hash: reader.string(),
    parentNumber: reader.varintOrNull() ?? -1,
    parentHash: reader.string(),
    timeS: reader.varint(),
  }
}

export function encodeToken(writer: EntryWriter, token: TokenRecord): void {
  writer.varint(token.id)
  writer.string(token.address)
  writer.string(token.symbol)
  writer.string(token.name)
  writer.varint(token.decimals)
  writer.bool(token.isUnreadable)
  writer.varint(token.seenAtS)
}

export function decodeToken(reader: EntryReader): TokenRecord {
  return {
    id: reader.varint(),
    address: reader.string(),
    symbol: reader.string(),
    name: reader.string(),
    decimals: reader.varint(),
    isUnreadable: reader.bool(),
    seenAtS: reader.varint(),
  }
}

export function encodePair(writer: EntryWriter, pair: PairRecord): void {
  writer.varint(pair.id)
  writer.string(pair.address)
  writer.byte(poolKinds.indexOf(pair.kind))
  writer.varint(pair.token0Id)
  writer.varint(pair.token1Id)
  writer.string(pair.factory)
  writer.string(pair.amm)
  writer.bool(pair.isTrusted)
  writer.varintOrNull(pair.feePpm)
  writer.varint(pair.createdAtS)
  writer.bool(pair.platform !== null)
  if (pair.platform !== null) writer.string(pair.platform)
  writer.string(pair.venue)
  encodeList(writer, pair.params, (to, value) => to.bigint(value))
  writer.string(pair.pool ?? '')
  encodeList(writer, pair.otherIds, (to, value) => to.varint(value))
}

export function decodePair(reader: EntryReader): PairRecord {
  return {
    id: reader.varint(),
    address: reader.string(),
    kind: reader.choice(poolKinds),
    token0Id: reader.varint(),
    token1Id: reader.varint(),
    factory: reader.string(),
    amm: reader.string(),
    isTrusted: reader.bool(),
    feePpm: reader.varintOrNull(),
    createdAtS: reader.varint(),
    platform: reader.bool() ? reader.string() : null,
    venue: reader.string(),
    params: decodeList(reader, (from) => from.bigint()),
    pool: reader.string() || null,
    otherIds: decodeList(reader, (from) => from.varint()),
  }
}

export function encodeCreation(writer: EntryWriter, { pairId, createdAtS }: PairCreation): void {
  writer.varint(pairId)
  writer.varintOrNull(createdAtS)
}

export function decodeCreation(reader: EntryReader): PairCreation {
  return { pairId: reader.varint(), createdAtS: reader.varintOrNull() }
}

export function encodeTokenCreation(writer: EntryWriter, creation: TokenCreation): void {
  writer.varint(creation.tokenId)
  writer.varintOrNull(creation.createdAtS)
}

export function decodeTokenCreation(reader: EntryReader): TokenCreation {
  return { tokenId: reader.varint(), createdAtS: reader.varintOrNull() }
}

export function encodeShares(writer: EntryWriter, { pairId, total }: PairShares): void {
  writer.varint(pairId)
  writer.bigint(total)
}

export function decodeShares(reader: EntryReader): PairShares {
  return { pairId: reader.varint(), total: reader.bigint() }
}

export function encodeSupply(writer: EntryWriter, supply: TokenSupply): void {
  writer.varint(supply.tokenId)
  writer.bigint(supply.total)
  writer.bigint(supply.burnt)
  writer.bigint(supply.locked)
  writer.bigint(supply.other)
  writer.varint(supply.holders)
  writer.bool(supply.isComplete)
}

export function decodeSupply(reader: EntryReader): TokenSupply {
  return {
    tokenId: reader.varint(),
    total: reader.bigint(),
    burnt: reader.bigint(),
    locked: reader.bigint(),
    other: reader.bigint(),
    holders: reader.varint(),
    isComplete: reader.bool(),
  }
}

export function encodeList<item>(
  writer: EntryWriter,
  items: readonly item[],
  encode: (writer: EntryWriter, item: item) => void,
): void {
  writer.varint(items.length)
  for (const item of items) encode(writer, item)
}

export function decodeList<item>(
  reader: EntryReader,
  decode: (reader: EntryReader) => item,
): item[] {
  const items: item[] = []
  for (let left = reader.count(); left > 0; left--) items.push(decode(reader))
  return items
}
