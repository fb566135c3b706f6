// Snapshots as format 6 wrote them, by place: the baseline of the snapshot bench.

import type { MarketState } from '../packages/server/src/engine/marketState.ts'
import { ByteWriter } from '../packages/server/src/engine/tables/bytes.ts'
import type { RowLog } from '../packages/server/src/engine/tables/rowLog.ts'
import type { RowTable } from '../packages/server/src/engine/tables/rowTable.ts'
import type { PairRecord } from '../packages/server/src/model/pair.ts'
import type { TokenRecord, TokenSupply } from '../packages/server/src/model/token.ts'

// 'CTE5'
const magic = 0x35455443
const poolKinds = ['constantProduct', 'concentrated', 'curve'] as const

/** The whole logical state: records, then every row in use. What follows from records is left out. */
export function encodeLayout6(state: MarketState): Uint8Array {
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
  writer.u32(catalog.tokenCount)
  for (let id = 0; id < catalog.tokenCount; id += 1) {
    writeToken(writer, catalog.token(id))
    writeSupply(writer, catalog.supplies.get(id))
  }
  writer.u32(catalog.pairCount)
  for (let id = 0; id < catalog.pairCount; id += 1) writePair(writer, catalog.pair(id))
  writer.u32(state.launches.creators.length)
  for (const creator of state.launches.creators) writer.text(creator)
  for (const table of state.tables()) writeTable(writer, table)
  for (const log of state.logs()) writeLog(writer, log)
  return writer.finish()
}

function writeToken(writer: ByteWriter, token: TokenRecord): void {
  writer.text(token.address)
  writer.text(token.symbol)
  writer.text(token.name)
  writer.u32(token.decimals)
  writer.u32(token.isUnreadable ? 1 : 0)
  writer.f64(token.seenAtS)
}

function writeSupply(writer: ByteWriter, supply: TokenSupply | null): void {
  writer.u32(supply === null ? 0 : supply.isComplete ? 2 : 1)
  if (supply === null) return
  writeAmount(writer, supply.total)
  writeAmount(writer, supply.burnt)
  writeAmount(writer, supply.locked)
  writeAmount(writer, supply.other)
  writer.f64(supply.holders)
}

function writePair(writer: ByteWriter, pair: PairRecord): void {
  writer.text(pair.address)
  writer.u32((poolKinds as readonly string[]).indexOf(pair.kind))
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

function writeTable(writer: ByteWriter, table: RowTable): void {
  const { count, width } = table
  writer.u32(width)
  writer.u32(count)
  const rowsPerPage = table.mask + 1
  for (let first = 0; first < count; first += rowsPerPage)
    writer.raw(bytesOf(table.page(first), 0, Math.min(rowsPerPage, count - first) * width))
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

function bytesOf(page: Float64Array, at: number, count: number): Uint8Array {
  return new Uint8Array(page.buffer, page.byteOffset + at * 8, count * 8)
}

/** Never negative. */
function writeAmount(writer: ByteWriter, value: bigint): void {
  let words = 0
  for (let rest = value; rest > 0n; rest >>= 64n) words += 1
  const bytes = new Uint8Array(1 + words * 8)
  const view = new DataView(bytes.buffer)
  bytes[0] = words
  for (let word = 0; word < words; word += 1)
    view.setBigUint64(1 + word * 8, value >> BigInt(word * 64), true)
  writer.bare(bytes)
}
