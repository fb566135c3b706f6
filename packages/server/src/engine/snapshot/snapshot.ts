import type { PairShares, TokenCreation } from '../../model/logEntry.ts'
import type { PairRecord } from '../../model/pair.ts'
import type { TokenRecord, TokenSupply } from '../../model/token.ts'
import { SnapshotUnreadableError } from '../errors.ts'
import type { MarketState } from '../marketState.ts'
import type { PageBudget } from '../pages/pageBudget.ts'
import { findRescaled } from '../prices/rescaledPairs.ts'
import type { RecordSource } from '../records/recordSource.ts'
import type { SnapshotBytes } from '../tables/bytes.ts'
import type { RowTable } from '../tables/rowTable.ts'
import { followConfig } from './followConfig.ts'
import type { Entries, RecordList, SnapshotForm, WrittenForm, WrittenList } from './formTypes.ts'
import { decodeRecords, encodeRecords } from './recordFields.ts'
import { convertForm, snapshotFormat } from './snapshotChanges.ts'
import { decodeForm, encodeForm } from './snapshotForm.ts'
import {
  type LaunchRecord,
  launchFields,
  pairFields,
  type SearchedPair,
  searchedPairFields,
  shareFields,
  supplyFields,
  tokenCreationFields,
  tokenFields,
} from './snapshotLists.ts'
import { fillLog, fillTable, logForm, tableForm } from './snapshotRows.ts'
import { snapshotUnits } from './snapshotUnits.ts'

/**
 * The whole logical state: records, then every row in use. What follows from records is left out. In parts that are made when they are asked
 * for: it is not to change before the last.
 */
export function encodeState(state: MarketState): Generator<Uint8Array, void, undefined> {
  return encodeForm(formOf(state, state.tables(), listsOf(state)))
}

/** All of it but what is in pages, or beside them in an image. */
export function encodeUnpaged(state: MarketState): Generator<Uint8Array, void, undefined> {
  const tables = state.tables().filter(({ isPaged }) => !isPaged)
  const lists = listsOf(state).filter(([name]) => !pagedLists.has(name))
  return encodeForm(formOf(state, tables, lists))
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
    lists: inTurn(lists),
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
  const form = formOf(state, state.tables(), listsOf(state))
  return hashBytes(encodeForm({ ...form, format: 0 }))
}

function hashBytes(parts: Iterable<Uint8Array>): string {
  let a = 0x811c9dc5
  let b = 0x9747b28c
  for (const bytes of parts)
    for (let at = 0; at < bytes.length; at += 1) {
      a = Math.imul(a ^ bytes[at]!, 0x01000193)
      b = Math.imul(b + bytes[at]!, 0xcc9e2d51)
      b ^= b >>> 13
    }
  const hex = (value: number) => (value >>> 0).toString(16).padStart(8, '0')
  return hex(a) + hex(b)
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

type NamedList = readonly [name: string, list: () => WrittenList]

/** Lists of what an image has otherwise. */
const pagedLists: ReadonlySet<string> = new Set(['tokens', 'supplies', 'pairs', 'tokenCreations'])

function listsOf({ catalog, launches, memory }: MarketState): NamedList[] {
  const creators = launches.creators.map((creator) => ({ creator }))
  const searched = [...catalog.searchedPairs].sort((a, b) => a - b).map((pairId) => ({ pairId }))
  const paged = <record>(records: RecordSource<record>) => settling(records, memory)
  return [
    ['tokens', () => encodeRecords<TokenRecord, 'id'>(paged(catalog.allTokens()), tokenFields)],
    ['supplies', () => encodeRecords(paged(catalog.supplies.all()), supplyFields)],
    ['pairs', () => encodeRecords<PairRecord, 'id'>(paged(catalog.allPairs()), pairFields)],
    ['launches', () => encodeRecords(creators, launchFields)],
    ['searchedPairs', () => encodeRecords(searched, searchedPairFields)],
    ['tokenCreations', () => encodeRecords(catalog.allTokenCreations(), tokenCreationFields)],
    ['shares', () => encodeRecords(catalog.allShares(), shareFields)],
  ]
}

/** Each is made when its turn has come. */
function inTurn(lists: readonly NamedList[]): Entries<WrittenList> {
  return {
    size: lists.length,
    *[Symbol.iterator]() {
      for (const [name, list] of lists) yield [name, list()] as const
    },
  }
}

/** Whoever goes through all of them has only some in memory at a time. */
function settling<record>(
  { length, at }: RecordSource<record>,
  memory: PageBudget,
): RecordSource<record> {
  return {
    length,
    at(place) {
      memory.settleAt(place)
      return at(place)
    },
  }
}

function fillCatalog(
  { catalog, launches, memory }: MarketState,
  lists: SnapshotForm['lists'],
): void {
  // Each is let go of before the next: they are copies of what lay in several parts.
  const take = (name: string): RecordList => {
    const list = lists.get(name) ?? { count: 0, fields: new Map() }
    lists.delete(name)
    return list
  }
  decodeRecords<TokenRecord, 'id'>(take('tokens'), tokenFields, (token, id) => {
    catalog.addToken({ id, ...token })
    memory.settleAt(id)
  })
  decodeRecords<TokenSupply>(take('supplies'), supplyFields, (supply, place) => {
    catalog.supplies.set(supply, null)
    memory.settleAt(place)
  })
  decodeRecords<PairRecord, 'id'>(take('pairs'), pairFields, (pair, id) => {
    catalog.addPair({ id, ...pair })
    memory.settleAt(id)
  })
  decodeRecords<SearchedPair>(take('searchedPairs'), searchedPairFields, ({ pairId }) =>
    catalog.searchedPairs.add(pairId),
  )
  decodeRecords<TokenCreation>(take('tokenCreations'), tokenCreationFields, (creation) =>
    catalog.setTokenCreation(creation),
  )
  decodeRecords<PairShares>(take('shares'), shareFields, (shares) =>
    catalog.setShares(shares, null),
  )
  decodeRecords<LaunchRecord>(take('launches'), launchFields, ({ creator }) =>
    launches.creators.push(creator),
  )
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
