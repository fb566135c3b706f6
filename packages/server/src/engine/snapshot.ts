import type { PairRecord } from '../model/pair.ts'
import type { TokenRecord, TokenSupply } from '../model/token.ts'
import { pairFlagsOf } from './addPair.ts'
import { ByteReader, ByteWriter } from './bytes.ts'
import { SnapshotUnreadableError } from './errors.ts'
import type { MarketState } from './marketState.ts'
import { pairFlag } from './pairTable.ts'
import { findRescaled } from './rescaledPairs.ts'
import type { RowLog } from './rowLog.ts'
import type { RowTable } from './rowTable.ts'

// 'CTE5': raise the last character with any change of what a table's columns mean or of this file.
const magic = 0x35455443
const poolKinds = ['constantProduct', 'concentrated', 'curve'] as const

/** The whole logical state: records, then every row in use. What follows from records is left out. */
export function encodeState(state: MarketState): Uint8Array {
  const writer = new ByteWriter()
  writer.u32(magic)
  writer.text(state.profile.name)
  writer.u32(state.head === null ? 0 : 1)
  if (state.head !== null) {
    writer.f64(state.head.number)
    writer.text(state.head.hash)
    writer.text(state.head.parentHash)
    writer.f64(state.head.timeS)
  }
  writer.f64(state.finalizedNumber)
  writer.f64(state.height)
  writer.f64(state.timeS)
  const { catalog } = state
  writer.u32(catalog.tokens.current.length)
  catalog.tokens.current.forEach((token, id) => {
    writeToken(writer, token)
    writeSupply(writer, catalog.supplies.current[id]!)
  })
  writer.u32(catalog.pairs.length)
  for (const pair of catalog.pairs) writePair(writer, pair)
  writer.u32(state.launches.creators.length)
  for (const creator of state.launches.creators) writer.text(creator)
  for (const table of state.tables()) writeTable(writer, table)
  for (const log of state.logs()) writeLog(writer, log)
  return writer.finish()
}

/** Fills a fresh state. */
export function decodeState(state: MarketState, bytes: Uint8Array): void {
  const reader = new ByteReader(bytes)
  if (reader.u32() !== magic) throw new SnapshotUnreadableError('It is of another version.')
  const chain = reader.text()
  if (chain !== state.profile.name)
    throw new SnapshotUnreadableError(`It is of chain "${chain}", not "${state.profile.name}".`)
  if (reader.u32() === 1)
    state.head = {
      number: reader.f64(),
      hash: reader.text(),
      parentHash: reader.text(),
      timeS: reader.f64(),
    }
  state.finalizedNumber = reader.f64()
  state.height = reader.f64()
  state.timeS = reader.f64()
  const { catalog } = state
  for (let id = 0, count = reader.u32(); id < count; id += 1) {
    catalog.addToken(readToken(reader, id))
    const supply = readSupply(reader, id)
    if (supply !== null) catalog.supplies.setBase(id, supply)
  }
  for (let id = 0, count = reader.u32(); id < count; id += 1) {
    const pair = readPair(reader, id)
    catalog.addPair(pair)
    if (pairFlagsOf(state, pair) & pairFlag.pricesNative) catalog.nativePools.push(id)
  }
  for (let row = 0, count = reader.u32(); row < count; row += 1)
    state.launches.creators.push(reader.text())
  for (const table of state.tables()) readTable(reader, table)
  for (const log of state.logs()) readLog(reader, log)
  state.windows.quoteSides.index()
  state.depths.load()
  findRescaled(state)
  if (!reader.isAtEnd) throw new SnapshotUnreadableError('It goes on after its end.')
}

/** 64 bits of the bytes as hex. For comparing states, not against an attacker. */
export function hashBytes(bytes: Uint8Array): string {
  let a = 0x811c9dc5
  let b = 0x9747b28c
  for (let at = 0; at < bytes.length; at += 1) {
    a = Math.imul(a ^ bytes[at]!, 0x01000193)
    b = Math.imul(b + bytes[at]!, 0xcc9e2d51)
    b ^= b >>> 13
  }
  const hex = (value: number) => (value >>> 0).toString(16).padStart(8, '0')
  return hex(a) + hex(b)
}

function writeToken(writer: ByteWriter, token: TokenRecord): void {
  writer.text(token.address)
  writer.text(token.symbol)
  writer.text(token.name)
  writer.u32(token.decimals)
  writer.u32(token.isUnreadable ? 1 : 0)
  writer.f64(token.seenAtS)
}

function readToken(reader: ByteReader, id: number): TokenRecord {
  return {
    id,
    address: reader.text(),
    symbol: reader.text(),
    name: reader.text(),
    decimals: reader.u32(),
    isUnreadable: reader.u32() === 1,
    seenAtS: reader.f64(),
  }
}

function writeSupply(writer: ByteWriter, supply: TokenSupply | null): void {
  writer.u32(supply === null ? 0 : supply.isComplete ? 2 : 1)
  if (supply === null) return
  writer.big(supply.total)
  writer.big(supply.burnt)
  writer.big(supply.locked)
  writer.big(supply.other)
  writer.f64(supply.holders)
}

function readSupply(reader: ByteReader, tokenId: number): TokenSupply | null {
  const kind = reader.u32()
  if (kind === 0) return null
  return {
    tokenId,
    total: reader.big(),
    burnt: reader.big(),
    locked: reader.big(),
    other: reader.big(),
    holders: reader.f64(),
    isComplete: kind === 2,
  }
}

function writePair(writer: ByteWriter, pair: PairRecord): void {
  writer.text(pair.address)
  writer.u32(poolKinds.indexOf(pair.kind))
  writer.u32(pair.token0Id)
  writer.u32(pair.token1Id)
  writer.text(pair.factory)
  writer.text(pair.amm)
  writer.u32(pair.isTrusted ? 1 : 0)
  writer.f64(pair.feePpm ?? -1)
  writer.f64(pair.createdAtS)
  writer.u32(pair.platform === null ? 0 : 1)
  writer.text(pair.platform ?? '')
}

function readPair(reader: ByteReader, id: number): PairRecord {
  const address = reader.text()
  const kind = poolKinds[reader.u32()]
  if (kind === undefined) throw new SnapshotUnreadableError('It has an unknown kind of pool.')
  const token0Id = reader.u32()
  const token1Id = reader.u32()
  const factory = reader.text()
  const amm = reader.text()
  const isTrusted = reader.u32() === 1
  const feePpm = reader.f64()
  const createdAtS = reader.f64()
  const hasPlatform = reader.u32() === 1
  const platform = reader.text()
  return {
    id,
    address,
    kind,
    token0Id,
    token1Id,
    factory,
    amm,
    isTrusted,
    feePpm: feePpm < 0 ? null : feePpm,
    createdAtS,
    platform: hasPlatform ? platform : null,
  }
}

function writeTable(writer: ByteWriter, table: RowTable): void {
  const { count, width } = table
  writer.u32(width)
  writer.u32(count)
  const rowsPerPage = table.mask + 1
  for (let first = 0; first < count; first += rowsPerPage)
    writer.raw(bytesOf(table.page(first), 0, Math.min(rowsPerPage, count - first) * width))
}

function readTable(reader: ByteReader, table: RowTable): void {
  if (reader.u32() !== table.width) throw new SnapshotUnreadableError('A table has other columns.')
  const count = reader.u32()
  table.ensure(count - 1)
  const rowsPerPage = table.mask + 1
  for (let first = 0; first < count; first += rowsPerPage)
    bytesOf(table.page(first), 0, table.page(first).length).set(reader.raw())
}

/** Only what is alive: rows that have gone are no part of the state. */
function writeLog(writer: ByteWriter, log: RowLog): void {
  writer.u32(log.width)
  writer.f64(log.head)
  writer.f64(log.tail)
  for (let row = log.head; row < log.tail; ) {
    const end = Math.min(log.tail, row + log.pageRows - (row % log.pageRows))
    writer.raw(bytesOf(log.page(row), log.at(row), (end - row) * log.width))
    row = end
  }
}

function readLog(reader: ByteReader, log: RowLog): void {
  if (reader.u32() !== log.width) throw new SnapshotUnreadableError('A log has other columns.')
  const head = reader.f64()
  const tail = reader.f64()
  log.reset(head, tail)
  for (let row = head; row < tail; ) {
    const end = Math.min(tail, row + log.pageRows - (row % log.pageRows))
    bytesOf(log.page(row), log.at(row), (end - row) * log.width).set(reader.raw())
    row = end
  }
}

function bytesOf(page: Float64Array, at: number, count: number): Uint8Array {
  return new Uint8Array(page.buffer, page.byteOffset + at * 8, count * 8)
}
