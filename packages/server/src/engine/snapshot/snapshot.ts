import { ByteWriter } from '../../lib/bytes/byteWriter.ts'
import { RecordType, text } from '../../model/describe.ts'
import { pairSharesType, tokenCreationType } from '../../model/logEntry.ts'
import { pairType } from '../../model/pair.ts'
import { supplyType, tokenType } from '../../model/token.ts'
import { SnapshotUnreadableError } from '../errors.ts'
import type { MarketState } from '../marketState.ts'
import { findRescaled } from '../prices/rescaledPairs.ts'
import { runsOf, type SnapshotBytes } from '../tables/bytes.ts'
import type { RowTable } from '../tables/rowTable.ts'
import { followConfig } from './followConfig.ts'
import type { RecordList, SnapshotForm, WrittenForm, WrittenList } from './formTypes.ts'
import { keyedList, packedIn, packedList, recordsIn } from './recordLists.ts'
import { convertForm, snapshotFormat } from './snapshotChanges.ts'
import { decodeForm, encodeForm } from './snapshotForm.ts'
import { fillLog, fillTable, logForm, tableForm } from './snapshotRows.ts'
import { snapshotUnits } from './snapshotUnits.ts'

/** Indexed by row of the launches' table, less 1. */
const launchType = new RecordType<{ id: number; creator: string }, 'id'>('id', {
  creator: text(''),
})
/** Pairs that were discovered late and whose creation was looked for. */
const searchedPairType = new RecordType<{ pairId: number }, 'pairId'>('pairId', {})

/**
 * The whole logical state: records, then every row in use. What follows from records is left out. In parts that are made when they are asked
 * for: it is not to change before the last.
 */
export function encodeState(state: MarketState): Generator<Uint8Array, void, undefined> {
  return encodeForm(formOf(state, state.tables(), [...pagedLists(state), ...unpagedLists(state)]))
}

/** All of it but what is in pages, or beside them in an image. */
export function encodeUnpaged(state: MarketState): Generator<Uint8Array, void, undefined> {
  const tables = state.tables().filter(({ isPaged }) => !isPaged)
  return encodeForm(formOf(state, tables, unpagedLists(state)))
}

function formOf(
  state: MarketState,
  tables: readonly RowTable[],
  lists: readonly NamedList[],
): WrittenForm {
  return {
    format: snapshotFormat,
    texts: textsOf(state),
    numbers: numbersOf(state),
    units: snapshotUnits(),
    lists: new Map(lists),
    tables: new Map(tables.map((table) => [table.name, tableForm(table)])),
    logs: new Map(state.logs().map((log) => [log.name, logForm(log)])),
  }
}

/** Fills a fresh state, by whatever version the bytes were written. */
export function decodeState(state: MarketState, parts: SnapshotBytes): void {
  fillState(state, parts)
  followConfig(state)
  state.depths.load()
  findRescaled(state)
}

/** With what the bytes have; what follows from it and the config is left to be found. */
export function fillState(state: MarketState, parts: SnapshotBytes): void {
  const form = decodeForm(parts, snapshotFormat)
  const chain = form.texts.get('chain')
  if (chain !== state.profile.name)
    throw new SnapshotUnreadableError(`It is of chain "${chain}", not "${state.profile.name}".`)
  convertForm(form)
  assertUnits(form.units)
  fillFacts(state, form)
  state.memory.fill(() => fillCatalog(state, form.lists))
  for (const table of state.tables()) {
    const written = form.tables.get(table.name)
    if (written !== undefined) fillTable(table, written, () => state.memory.settle())
  }
  for (const log of state.logs()) {
    const written = form.logs.get(log.name)
    if (written !== undefined) fillLog(log, written)
  }
  assertWhole(state)
  state.windows.quoteSides.index()
}

/**
 * 64 bits of the whole logical state as hex, the same in every snapshot format. For comparing states, not against an
 * attacker.
 */
export function hashState(state: MarketState): string {
  const hash = new StateHash()
  for (const bytes of encodeForm({ ...formOf(state, state.tables(), []), format: 0 }))
    hash.add(bytes)
  hashRecords(state, hash)
  return hash.hex()
}

/** As fields say them: in memory, bytes depend on which words came first. */
function hashRecords({ catalog, launches, memory }: MarketState, hash: StateHash): void {
  const writer = new ByteWriter()
  const add = <record extends object, key extends keyof record & string>(
    type: RecordType<record, key>,
    records: readonly record[],
  ) => {
    type.writeList(writer.start(), records)
    hash.add(writer.written())
  }
  for (let id = 0; id < catalog.tokenCount; id += 1) {
    memory.settleAt(id)
    const supply = catalog.supplies.get(id)
    add(tokenType, [catalog.token(id)])
    add(supplyType, supply === null ? [] : [supply])
  }
  for (let id = 0; id < catalog.pairCount; id += 1) {
    memory.settleAt(id)
    add(pairType, [catalog.pairs.read(id)])
  }
  add(launchType, launchesOf(launches))
  add(searchedPairType, searchedPairsOf(catalog))
  add(tokenCreationType, catalog.allTokenCreations())
  add(pairSharesType, catalog.allShares())
}

class StateHash {
  private a = 0x811c9dc5
  private b = 0x9747b28c

  add(bytes: Uint8Array): void {
    let { a, b } = this
    for (let at = 0; at < bytes.length; at += 1) {
      a = Math.imul(a ^ bytes[at]!, 0x01000193)
      b = Math.imul(b + bytes[at]!, 0xcc9e2d51)
      b ^= b >>> 13
    }
    this.a = a
    this.b = b
  }

  hex(): string {
    const hex = (value: number) => (value >>> 0).toString(16).padStart(8, '0')
    return hex(this.a) + hex(this.b)
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

function fillFacts(state: MarketState, { texts, numbers }: SnapshotForm): void {
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

/** Lists of what an image has otherwise. */
function pagedLists({ catalog }: MarketState): NamedList[] {
  return [
    ['tokens', packedList(tokenType, catalog.tokens.packed)],
    ['supplies', packedList(supplyType, catalog.supplies.packed)],
    ['pairs', packedList(pairType, catalog.pairs.packed)],
    ['tokenCreations', keyedList(tokenCreationType, catalog.allTokenCreations())],
  ]
}

function unpagedLists({ catalog, launches }: MarketState): NamedList[] {
  return [
    ['launches', keyedList(launchType, launchesOf(launches))],
    ['searchedPairs', keyedList(searchedPairType, searchedPairsOf(catalog))],
    ['shares', keyedList(pairSharesType, catalog.allShares())],
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
  lists: SnapshotForm['lists'],
): void {
  const listOf = (name: string): RecordList =>
    lists.get(name) ?? { count: 0, fields: new Map(), words: [], runs: runsOf() }
  for (const bytes of packedIn(listOf('tokens'), tokenType, catalog.tokens.packed.words)) {
    catalog.addTokenBytes(bytes)
    memory.settleAt(catalog.tokenCount)
  }
  const { packed: supplies } = catalog.supplies
  const supplyList = listOf('supplies')
  if (supplyList.count > supplies.count)
    throw new SnapshotUnreadableError(`It has ${supplyList.count} supplies of fewer tokens.`)
  let tokenId = 0
  for (const bytes of packedIn(supplyList, supplyType, supplies.words)) {
    if (bytes.length > 0) supplies.set(tokenId, bytes, bytes.length)
    tokenId += 1
    memory.settleAt(tokenId)
  }
  for (const bytes of packedIn(listOf('pairs'), pairType, catalog.pairs.packed.words)) {
    catalog.pairs.pushBytes(bytes)
    memory.settleAt(catalog.pairCount)
  }
  for (const { pairId } of recordsIn(listOf('searchedPairs'), searchedPairType))
    catalog.searchedPairs.add(pairId)
  for (const creation of recordsIn(listOf('tokenCreations'), tokenCreationType))
    catalog.setTokenCreation(creation)
  for (const shares of recordsIn(listOf('shares'), pairSharesType)) catalog.setShares(shares, null)
  for (const { creator } of recordsIn(listOf('launches'), launchType))
    launches.creators.push(creator)
}

/** With other units rows would be taken for what they are not. */
function assertUnits(written: ReadonlyMap<string, number>): void {
  for (const [name, value] of snapshotUnits())
    if (written.get(name) !== value)
      throw new SnapshotUnreadableError(
        `Its "${name}" is ${written.get(name)}, here it is ${value}.`,
      )
}

/** Records and rows of the same things are as many. */
function assertWhole({ catalog, launches, pairs, tokens }: MarketState): void {
  const counts: readonly (readonly [string, number, number])[] = [
    ['tokens', catalog.tokenCount, tokens.count - 1],
    ['pairs', catalog.pairCount, pairs.count - 1],
    ['launches', launches.creators.length, launches.rows.count - 1],
  ]
  for (const [name, records, rows] of counts)
    if (records !== rows)
      throw new SnapshotUnreadableError(`It has ${records} records and ${rows} rows of ${name}.`)
}
