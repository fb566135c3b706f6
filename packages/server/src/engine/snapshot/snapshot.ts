import { ByteWriter } from '../../lib/bytes/byteWriter.ts'
import { pairSharesCodec, tokenCreationCodec } from '../../model/logEntry.ts'
import { pairCodec } from '../../model/pair.ts'
import { RecordCodec, textField } from '../../model/recordType.ts'
import { supplyCodec, tokenCodec } from '../../model/token.ts'
import { SnapshotUnreadableError } from '../errors.ts'
import type { MarketState } from '../marketState.ts'
import { restoreRescaledTokens } from '../prices/pairsAwaitingPrice.ts'
import { byteRangeOf, type SnapshotBytes } from '../tables/byteParts.ts'
import type { RowTable } from '../tables/rowTable.ts'
import { applyConfig } from './applyConfig.ts'
import {
  readKeyedRecords,
  readPackedRecords,
  writeKeyedList,
  writePackedList,
} from './recordLists.ts'
import { convertSnapshot, snapshotFormat, snapshotUnits } from './snapshotChanges.ts'
import {
  type DecodedSnapshot,
  decodeSnapshot,
  encodeSnapshot,
  type SnapshotList,
  type SnapshotToWrite,
  type WrittenList,
} from './snapshotEncoding.ts'
import { fillLog, fillTable, writeLog, writeTable } from './snapshotRows.ts'

/** Creators of launches, in the order of the launch table: the id is the row number less 1. */
const launchType = new RecordCodec<{ id: number; creator: string }, 'id'>('id', {
  creator: textField(''),
})
/** Pairs discovered after their creation whose creation block was already searched. */
const searchedPairType = new RecordCodec<{ pairId: number }, 'pairId'>('pairId', {})

/**
 * The whole logical state: records, then all rows in use. Data that follows from records is
 * omitted. Parts are created on demand, so the state must not change before the last one is read.
 */
export function encodeState(state: MarketState): Generator<Uint8Array, void, undefined> {
  return encodeSnapshot(
    snapshotOf(state, state.tables(), [...pagedLists(state), ...unpagedLists(state)]),
  )
}

/** The part of the state that an image does not store as pages or fields. */
export function encodeUnpaged(state: MarketState): Generator<Uint8Array, void, undefined> {
  const tables = state.tables().filter(({ isPaged }) => !isPaged)
  return encodeSnapshot(snapshotOf(state, tables, unpagedLists(state)))
}

function snapshotOf(
  state: MarketState,
  tables: readonly RowTable[],
  lists: readonly NamedList[],
): SnapshotToWrite {
  return {
    format: snapshotFormat,
    texts: textsOf(state),
    numbers: numbersOf(state),
    units: snapshotUnits(),
    lists: new Map(lists),
    tables: new Map(tables.map((table) => [table.name, writeTable(table)])),
    logs: new Map(state.logs().map((log) => [log.name, writeLog(log)])),
  }
}

/** Fills a fresh state from a snapshot of any supported version. */
export function decodeState(state: MarketState, parts: SnapshotBytes): void {
  fillState(state, parts)
  applyConfig(state)
  state.depths.buildAll()
  restoreRescaledTokens(state)
}

/**
 * Fills a fresh state with a snapshot's data only; the caller derives the rest, which depends on
 * the config.
 */
export function fillState(state: MarketState, parts: SnapshotBytes): void {
  const form = decodeSnapshot(parts, snapshotFormat)
  const chain = form.texts.get('chain')
  if (chain !== state.profile.name)
    throw new SnapshotUnreadableError(
      `The snapshot belongs to chain "${chain}", not "${state.profile.name}".`,
    )
  convertSnapshot(form)
  assertUnits(form.units)
  fillHead(state, form)
  state.memory.whileFilling(() => fillCatalog(state, form.lists))
  for (const table of state.tables()) {
    const written = form.tables.get(table.name)
    if (written !== undefined) fillTable(table, written, () => state.memory.evictExcess())
  }
  for (const log of state.logs()) {
    const written = form.logs.get(log.name)
    if (written !== undefined) fillLog(log, written)
  }
  assertSameCounts(state)
  state.windows.quoteSides.rebuildIndex()
}

/**
 * Hash of the whole logical state: 64 bits as hex, the same in every snapshot format. It compares
 * states and is not cryptographic.
 */
export function hashState(state: MarketState): string {
  const hash = new StateHash()
  for (const bytes of encodeSnapshot({ ...snapshotOf(state, state.tables(), []), format: 0 }))
    hash.add(bytes)
  hashRecords(state, hash)
  return hash.hex()
}

/**
 * Hashes decoded records: their bytes in memory depend on the order in which shared texts were
 * added.
 */
function hashRecords({ catalog, launches, memory }: MarketState, hash: StateHash): void {
  const writer = new ByteWriter()
  const add = <record extends object, key extends keyof record & string>(
    type: RecordCodec<record, key>,
    records: readonly record[],
  ) => {
    type.writeList(writer.start(), records)
    hash.add(writer.written())
  }
  for (let id = 0; id < catalog.tokenCount; id += 1) {
    memory.evictDuringScan(id)
    const supply = catalog.supplies.get(id)
    add(tokenCodec, [catalog.token(id)])
    add(supplyCodec, supply === null ? [] : [supply])
  }
  for (let id = 0; id < catalog.pairCount; id += 1) {
    memory.evictDuringScan(id)
    add(pairCodec, [catalog.pairs.read(id)])
  }
  add(launchType, launchesOf(launches))
  add(searchedPairType, searchedPairsOf(catalog))
  add(tokenCreationCodec, catalog.allTokenCreations())
  add(pairSharesCodec, catalog.allShares())
}

class StateHash {
  #a = 0x811c9dc5
  #b = 0x9747b28c

  add(bytes: Uint8Array): void {
    let a = this.#a
    let b = this.#b
    for (let at = 0; at < bytes.length; at += 1) {
      a = Math.imul(a ^ bytes[at]!, 0x01000193)
      b = Math.imul(b + bytes[at]!, 0xcc9e2d51)
      b ^= b >>> 13
    }
    this.#a = a
    this.#b = b
  }

  hex(): string {
    const hex = (value: number) => (value >>> 0).toString(16).padStart(8, '0')
    return hex(this.#a) + hex(this.#b)
  }
}

function textsOf({ profile, head }: MarketState): Map<string, string> {
  const texts = new Map([['chain', profile.name]])
  if (head !== null) texts.set('head.hash', head.hash).set('head.parentHash', head.parentHash)
  return texts
}

function numbersOf(state: MarketState): Map<string, number> {
  const { head, finalizedNumber, height, timeS, mainPairsFromS } = state
  const numbers = new Map(Object.entries({ finalizedNumber, height, timeS, mainPairsFromS }))
  if (head === null) return numbers
  numbers.set('head.number', head.number).set('head.timeS', head.timeS)
  numbers.set('head.parentNumber', head.parentNumber)
  return numbers
}

function fillHead(state: MarketState, { texts, numbers }: DecodedSnapshot): void {
  const number = numbers.get('head.number')
  if (number !== undefined)
    state.head = {
      number,
      hash: texts.get('head.hash') ?? '',
      parentNumber: numbers.get('head.parentNumber') ?? -1,
      parentHash: texts.get('head.parentHash') ?? '',
      timeS: numbers.get('head.timeS') ?? 0,
    }
  state.finalizedNumber = numbers.get('finalizedNumber') ?? -1
  state.height = numbers.get('height') ?? 0
  state.timeS = numbers.get('timeS') ?? 0
  state.mainPairsFromS = numbers.get('mainPairsFromS') ?? 0
}

type NamedList = readonly [name: string, list: WrittenList]

/** Record lists that an image stores as pages and fields instead. */
function pagedLists({ catalog }: MarketState): NamedList[] {
  return [
    ['tokens', writePackedList(tokenCodec, catalog.tokens.packed)],
    ['supplies', writePackedList(supplyCodec, catalog.supplies.packed)],
    ['pairs', writePackedList(pairCodec, catalog.pairs.packed)],
    ['tokenCreations', writeKeyedList(tokenCreationCodec, catalog.allTokenCreations())],
  ]
}

function unpagedLists({ catalog, launches }: MarketState): NamedList[] {
  return [
    ['launches', writeKeyedList(launchType, launchesOf(launches))],
    ['searchedPairs', writeKeyedList(searchedPairType, searchedPairsOf(catalog))],
    ['shares', writeKeyedList(pairSharesCodec, catalog.allShares())],
  ]
}

function launchesOf({ creators }: MarketState['launches']) {
  return creators.map((creator, id) => ({ id, creator }))
}

function searchedPairsOf({ searchedPairs }: MarketState['catalog']) {
  return [...searchedPairs].sort((a, b) => a - b).map((pairId) => ({ pairId }))
}

function fillCatalog(
  { catalog, launches, memory }: MarketState,
  lists: DecodedSnapshot['lists'],
): void {
  const listOf = (name: string): SnapshotList =>
    lists.get(name) ?? { count: 0, fields: new Map(), words: [], runs: byteRangeOf() }
  for (const bytes of readPackedRecords(
    listOf('tokens'),
    tokenCodec,
    catalog.tokens.packed.words,
  )) {
    catalog.addTokenBytes(bytes)
    memory.evictDuringScan(catalog.tokenCount)
  }
  const { packed: supplies } = catalog.supplies
  const supplyList = listOf('supplies')
  if (supplyList.count > supplies.count)
    throw new SnapshotUnreadableError(
      `The snapshot has ${supplyList.count} supplies, but fewer tokens.`,
    )
  let tokenId = 0
  for (const bytes of readPackedRecords(supplyList, supplyCodec, supplies.words)) {
    if (bytes.length > 0) supplies.set(tokenId, bytes, bytes.length)
    tokenId += 1
    memory.evictDuringScan(tokenId)
  }
  for (const bytes of readPackedRecords(listOf('pairs'), pairCodec, catalog.pairs.packed.words)) {
    catalog.pairs.pushBytes(bytes)
    memory.evictDuringScan(catalog.pairCount)
  }
  for (const { pairId } of readKeyedRecords(listOf('searchedPairs'), searchedPairType))
    catalog.searchedPairs.add(pairId)
  for (const creation of readKeyedRecords(listOf('tokenCreations'), tokenCreationCodec))
    catalog.setTokenCreation(creation)
  for (const shares of readKeyedRecords(listOf('shares'), pairSharesCodec))
    catalog.setShares(shares, null)
  for (const { creator } of readKeyedRecords(listOf('launches'), launchType))
    launches.creators.push(creator)
}

/** Fails if the snapshot uses other units: its numbers would be misread. */
function assertUnits(written: ReadonlyMap<string, number>): void {
  for (const [name, value] of snapshotUnits())
    if (written.get(name) !== value)
      throw new SnapshotUnreadableError(`The unit "${name}" is ${written.get(name)}, not ${value}.`)
}

/** Fails if records and rows of tokens, pairs or launches differ in number. */
function assertSameCounts({ catalog, launches, pairs, tokens }: MarketState): void {
  const counts: readonly (readonly [string, number, number])[] = [
    ['tokens', catalog.tokenCount, tokens.count - 1],
    ['pairs', catalog.pairCount, pairs.count - 1],
    ['launches', launches.creators.length, launches.rows.count - 1],
  ]
  for (const [name, records, rows] of counts)
    if (records !== rows)
      throw new SnapshotUnreadableError(
        `The snapshot has ${records} records, but ${rows} rows of ${name}.`,
      )
}
