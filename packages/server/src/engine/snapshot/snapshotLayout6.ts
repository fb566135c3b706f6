import type { PairRecord } from '../../model/pair.ts'
import type { TokenRecord, TokenSupply } from '../../model/token.ts'
import { SnapshotUnreadableError } from '../errors.ts'
import { type ByteReader, type ByteRuns, runsOf } from '../tables/bytes.ts'
import type { FormLog, FormTable, RecordList, SnapshotForm, WrittenList } from './formTypes.ts'
import { encodeRecords } from './recordFields.ts'
import { launchFields, pairFields, supplyFields, tokenFields } from './snapshotLists.ts'

// Format 6, the last one without names, as it was: nothing here follows what the engine has become since.

// 'CTE5'
const magic = 0x35455443
const poolKinds = ['constantProduct', 'concentrated', 'curve'] as const

const limbs = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name}.${index}`)
const names = (text: string) => text.split(' ')
const sums = (name: string) => [
  ...['buy', 'sell', 'organic'].flatMap((sum) => limbs(`${name}${sum}`, 2)),
  ...[`${name}buyCount`, `${name}sellCount`, ...limbs(`${name}amount`, 3)],
]

const marketColumns = names(
  'priceNative closeUsd closeNative athUsd dayOpenUsd lastTradeAtS updatedAtS tradedBlock kline fineTail minuteTail',
)
const windowColumns = [
  ...sums('sums.'),
  ...names('makersBase makersCapacity makersCount makersHorizons activeRow'),
]
const bucketColumns = [...names('index pair previous'), ...sums(''), ...names('open high low')]

/** In the order they were written; rates had two columns more for each quote asset. */
const tables: readonly (readonly [name: string, columns: readonly string[]])[] = [
  [
    'pairs',
    [
      ...names('priceRaw price startPrice touchedHeight reserve0 reserve1'),
      ...[...limbs('reserve0Limbs', 3), ...limbs('reserve1Limbs', 3)],
      ...['priceUsd', ...marketColumns, ...windowColumns],
      ...names('targetSide targetToken quoteToken quoteIndex flags firstTradeAtS isInitialised'),
      ...names('wideRow firstTradeBlock nextTarget nextQuote'),
      ...[...limbs('initReserve0Limbs', 3), ...limbs('initReserve1Limbs', 3)],
      ...names('firstTradeSwaps targetPlace quotePlace'),
    ],
  ],
  [
    'wideReserves',
    names('reserve0 reserve1 initReserve0 initReserve1').flatMap((name) => limbs(name, 2)),
  ],
  [
    'tokens',
    names(
      'updatedAtS judgedHeight lastTradeAtS tradedBlock mainPair launchPriceUsd targetHead targetTail targetCount ' +
        'quoteHead quoteTail watchedUntil challenger challengerHeight launchRow launchedAtS',
    ),
  ],
  ['rates', names('nativeUsd nativeLiquidityUsd nativeAtS factUsd factAtS moved')],
  [
    'klines',
    [
      ...names('level next pair lastTradeAtS closeUsd closeNative openUsd highUsd lowUsd'),
      ...names('openNative highNative lowNative'),
      ...[...limbs('volumeUsd', 2), ...limbs('volumeNative', 3), 'count'],
    ],
  ],
  ['makers', names('hash trades')],
  ['freeMakers', limbs('class', 32)],
  ['roundTripHeads', names('even odd')],
  ['activePairs', names('pair unused')],
  [
    'quoteSides',
    ['token', ...sums('gathered.'), 'gatheredUsd', ...marketColumns, ...windowColumns],
  ],
  ['launches', names('token state filledPpm curvePair createdAtS graduatedAtS next previous')],
]

const intervalsS = [1, 60, 300, 900, 1_800, 3_600, 7_200, 14_400, 86_400, 604_800]

const logs: readonly (readonly [name: string, columns: readonly string[]])[] = [
  ...intervalsS.map((intervalS) => [`klineEnds.${intervalS}`, names('start row')] as const),
  ['fineBuckets', bucketColumns],
  ['minuteBuckets', bucketColumns],
  ['roundTrips', names('pair hash atS otherAtS next held bucket usdE8')],
  ['challenges', names('height token')],
  ...limbs('rateWatch', 5).map((name) => [name, names('dueAt token')] as const),
]

const units: readonly (readonly [string, number])[] = [
  ['fineBuckets.lengthS', 5],
  ['minuteBuckets.lengthS', 60],
  ['sums.limbBase', 2 ** 48],
  ['reserves.limbBase', 2 ** 52],
  ['makers.newestUnit', 2 ** 16],
  ['makers.sellBit', 2 ** 15],
  ['makers.walletHash', 1473028720785702],
  ['rateWatch.movementUnit', 2 ** 24],
  ...intervalsS.map((intervalS, level) => [`klines.level.${level}`, intervalS] as const),
  ...['in', 'almost', 'out'].map((name, state) => [`launches.state.${name}`, state] as const),
  ...['isTrusted', 'mayPrice', 'pricesNative', 'isUnscaled'].map(
    (name, bit) => [`pairs.flags.${name}`, 2 ** bit] as const,
  ),
]

export function isLayout6(firstWord: number): boolean {
  return firstWord === magic
}

/** What follows the first word. */
export function readLayout6(reader: ByteReader): SnapshotForm {
  const texts = new Map([['chain', reader.text()]])
  const numbers = new Map<string, number>()
  if (reader.u32() === 1) {
    numbers.set('head.number', reader.f64())
    texts.set('head.hash', reader.text())
    texts.set('head.parentHash', reader.text())
    numbers.set('head.timeS', reader.f64())
  }
  for (const name of ['finalizedNumber', 'height', 'timeS']) numbers.set(name, reader.f64())
  const form: SnapshotForm = {
    format: 6,
    texts,
    numbers,
    units: new Map(units),
    lists: readLists(reader),
    tables: new Map(tables.map(([name, columns]) => [name, readTable(reader, name, columns)])),
    logs: new Map(logs.map(([name, columns]) => [name, readLog(reader, columns)])),
  }
  if (!reader.isAtEnd) throw new SnapshotUnreadableError('It goes on after its end.')
  return form
}

function readLists(reader: ByteReader): SnapshotForm['lists'] {
  const tokens: TokenRecord[] = []
  const supplies: TokenSupply[] = []
  for (let id = 0, count = reader.u32(); id < count; id += 1) {
    tokens.push(readToken(reader, id))
    const supply = readSupply(reader, id)
    if (supply !== null) supplies.push(supply)
  }
  const pairs: PairRecord[] = []
  for (let id = 0, count = reader.u32(); id < count; id += 1) pairs.push(readPair(reader, id))
  const launches: { creator: string }[] = []
  for (let left = reader.u32(); left > 0; left -= 1) launches.push({ creator: reader.text() })
  return new Map([
    ['tokens', listOf(encodeRecords<TokenRecord, 'id'>(tokens, tokenFields))],
    ['supplies', listOf(encodeRecords(supplies, supplyFields))],
    ['pairs', listOf(encodeRecords<PairRecord, 'id'>(pairs, pairFields))],
    ['launches', listOf(encodeRecords(launches, launchFields))],
  ])
}

function listOf({ count, fields }: WrittenList): RecordList {
  return { count, fields: new Map(fields) }
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

function readPair(reader: ByteReader, id: number): PairRecord {
  const address = reader.text()
  const kind = poolKinds[reader.u32()]
  if (kind === undefined) throw new SnapshotUnreadableError('It has an unknown kind of pool.')
  const tokens = { token0Id: reader.u32(), token1Id: reader.u32() }
  const venue = { factory: reader.text(), amm: reader.text(), isTrusted: reader.u32() === 1 }
  const feePpm = reader.f64()
  const createdAtS = reader.f64()
  const hasPlatform = reader.u32() === 1
  const platform = reader.text()
  return {
    id,
    address,
    kind,
    ...tokens,
    ...venue,
    createdAtS,
    feePpm: feePpm < 0 ? null : feePpm,
    platform: hasPlatform ? platform : null,
    venue: '',
    params: [],
    pool: null,
    otherIds: [],
  }
}

function readTable(reader: ByteReader, name: string, columns: readonly string[]): FormTable {
  const width = reader.u32()
  const quotes = name === 'rates' ? limbs('quotes', width - columns.length) : []
  if (width !== columns.length + quotes.length)
    throw new SnapshotUnreadableError(`Its table "${name}" has other columns.`)
  const count = reader.u32()
  return {
    columns: [...columns, ...quotes],
    header: ['count', 'free', ...(name === 'launches' ? ['in', 'almost', 'out'] : [])],
    count,
    runs: readRuns(reader, count * width),
  }
}

function readLog(reader: ByteReader, columns: readonly string[]): FormLog {
  if (reader.u32() !== columns.length)
    throw new SnapshotUnreadableError('A log of it has other columns.')
  const head = reader.f64()
  const tail = reader.f64()
  return { columns, head, tail, runs: readRuns(reader, (tail - head) * columns.length) }
}

/** A page at a time, as they lay in memory. */
function readRuns(reader: ByteReader, doubles: number): ByteRuns {
  const pages: Uint8Array[] = []
  for (let left = doubles * 8; left > 0; left -= pages.at(-1)!.length) {
    const page = reader.raw()
    if (page.length === 0 || page.length > left)
      throw new SnapshotUnreadableError('It has more or less rows than it says.')
    pages.push(page)
  }
  return runsOf(...pages)
}
