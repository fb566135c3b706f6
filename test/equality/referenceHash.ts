// The reference's hash of an engine's state: a hash of its snapshot, whose records were written
// field by field. Remove this file when the reference moves to a newer commit.
import { type EngineOptions, MarketState } from '../../packages/server/src/engine/marketState.ts'
import { encodeState } from '../../packages/server/src/engine/snapshot/snapshot.ts'
import { snapshotFormat } from '../../packages/server/src/engine/snapshot/snapshotChanges.ts'
import { decodeSnapshot } from '../../packages/server/src/engine/snapshot/snapshotEncoding.ts'
import type { LateFacts, LogEntry } from '../../packages/server/src/model/logEntry.ts'

const magic = 0x46535443

const u32 = (...values: number[]) => Buffer.from(Uint32Array.from(values).buffer)
const f64 = (values: readonly number[]) => Buffer.from(Float64Array.from(values).buffer)
const text = (value: string) => Buffer.concat([u32(Buffer.byteLength(value)), Buffer.from(value)])
const names = (list: readonly string[]) => Buffer.concat([u32(list.length), ...list.map(text)])

type Column = { type: string; bytes(values: readonly never[]): Buffer }
const columnOf = <value>(type: string, bytes: (values: readonly value[]) => Buffer) =>
  ({ type, bytes }) as unknown as Column

const textBytes = (values: readonly string[]) =>
  Buffer.concat([
    u32(...values.map((value) => Buffer.byteLength(value))),
    Buffer.from(values.join('')),
  ])

function wordBytes(values: readonly (string | null)[]): Buffer {
  const words = [...new Set(values.flatMap((value) => value ?? []))]
  const bytes = textBytes(words)
  const used = values.map((value) => (value === null ? 0 : words.indexOf(value) + 1))
  return Buffer.concat([u32(words.length, bytes.length), bytes, u32(...used)])
}

function amountBytes(values: readonly bigint[]): Buffer {
  const words = values.map((value) => {
    const list: bigint[] = []
    for (let rest = value; rest > 0n; rest >>= 64n) list.push(BigInt.asUintN(64, rest))
    return list
  })
  const sizes = Buffer.from(words.map(({ length }) => length))
  return Buffer.concat([sizes, Buffer.from(BigUint64Array.from(words.flat()).buffer)])
}

const number = columnOf<number>('number', f64)
const count = columnOf<number | null>('count', (values) => f64(values.map((value) => value ?? -1)))
const truth = columnOf<boolean>('truth', (values) => Buffer.from(values.map(Number)))
const texts = columnOf<string>('text', textBytes)
const word = columnOf<string | null>('word', wordBytes)
const list = columnOf<readonly (number | bigint)[]>('text', (values) =>
  textBytes(values.map((items) => items.join(' '))),
)
const amount = columnOf<bigint>('amount', amountBytes)

function listBytes(
  name: string,
  records: readonly object[],
  columns: Readonly<Record<string, Column>>,
): Buffer {
  const fields = Object.entries(columns).map(([field, { type, bytes }]) => {
    const values = bytes(records.map((record) => record[field as keyof typeof record]))
    return Buffer.concat([text(field), text(type), u32(values.length), values])
  })
  return Buffer.concat([text(name), u32(records.length), u32(fields.length), ...fields])
}

function recordBytes({ catalog, launches }: MarketState): Buffer[] {
  const tokens = Array.from({ length: catalog.tokenCount }, (_, id) => catalog.token(id))
  const supplies = tokens.flatMap(({ id }) => catalog.supplies.get(id) ?? [])
  const pairs = Array.from({ length: catalog.pairCount }, (_, id) => catalog.pair(id))
  const creators = launches.creators.map((creator) => ({ creator }))
  const searched = [...catalog.searchedPairs].sort((a, b) => a - b).map((pairId) => ({ pairId }))
  return [
    listBytes('tokens', tokens, {
      address: texts,
      symbol: texts,
      name: texts,
      decimals: number,
      isUnreadable: truth,
      seenAtS: number,
    }),
    listBytes('supplies', supplies, {
      tokenId: number,
      total: amount,
      burnt: amount,
      locked: amount,
      other: amount,
      holders: number,
      isComplete: truth,
    }),
    listBytes('pairs', pairs, {
      address: texts,
      kind: word,
      token0Id: number,
      token1Id: number,
      factory: word,
      amm: word,
      isTrusted: truth,
      feePpm: count,
      createdAtS: number,
      platform: word,
      venue: word,
      params: list,
      pool: word,
      otherIds: list,
    }),
    listBytes('launches', creators, { creator: texts }),
    listBytes('searchedPairs', searched, { pairId: number }),
    listBytes('tokenCreations', catalog.allTokenCreations(), {
      tokenId: number,
      createdAtS: count,
    }),
    listBytes('shares', catalog.allShares(), { pairId: number, total: amount }),
  ]
}

// The reference hashed the fields of records in the order of its decoders: one order for log
// entries, another for records in memory.
const tokenOrder = ['id', 'address', 'symbol', 'name', 'decimals', 'isUnreadable', 'seenAtS']
const supplyOrder = ['tokenId', 'total', 'burnt', 'locked', 'other', 'holders', 'isComplete']
const packedTokenOrder = ['id', 'address', 'isUnreadable', 'decimals', 'seenAtS', 'symbol', 'name']
const pairOrder = [
  ...['id', 'address', 'kind', 'token0Id', 'token1Id', 'factory', 'amm', 'isTrusted', 'feePpm'],
  ...['createdAtS', 'platform', 'venue', 'params', 'pool', 'otherIds'],
]

function inOrder<record extends object>(record: record, order: readonly string[]): record {
  return Object.fromEntries(order.map((name) => [name, record[name as keyof record]])) as record
}

export function inReferenceOrder(entry: LogEntry): LogEntry {
  if (entry.type === 'commit')
    return { ...entry, block: { ...entry.block, ...ordered(entry.block) } }
  if (entry.type === 'late') return { ...entry, facts: { ...entry.facts, ...ordered(entry.facts) } }
  return entry
}

function ordered({ tokens, supplies }: Pick<LateFacts, 'tokens' | 'supplies'>) {
  return {
    tokens: tokens.map((token) => inOrder(token, tokenOrder)),
    supplies: supplies.map((supply) => inOrder(supply, supplyOrder)),
  }
}

/** A state that reads records in the reference's order of fields. */
export function stateInReferenceOrder(options: EngineOptions): MarketState {
  const state = new MarketState(options)
  const { tokens, pairs } = state.catalog
  const [readToken, readPair] = [tokens.read.bind(tokens), pairs.read.bind(pairs)]
  tokens.read = (id) => inOrder(readToken(id), packedTokenOrder)
  pairs.read = (id) => inOrder(readPair(id), pairOrder)
  return state
}

export function referenceHash(state: MarketState): string {
  const form = decodeSnapshot(encodeState(state), snapshotFormat)
  const parts: Uint8Array[] = [u32(magic, 0), u32(form.texts.size)]
  for (const [name, value] of form.texts) parts.push(text(name), text(value))
  for (const numbers of [form.numbers, form.units]) {
    parts.push(u32(numbers.size))
    for (const [name, value] of numbers) parts.push(text(name), f64([value]))
  }
  const records = recordBytes(state)
  parts.push(u32(records.length), ...records, u32(form.tables.size))
  for (const [name, { count: rows, header, columns, runs }] of form.tables) {
    parts.push(text(name), u32(rows), names(header), text('f64'), names(columns))
    parts.push(u32(runs.length), ...runs)
  }
  parts.push(u32(form.logs.size))
  for (const [name, { head, tail, columns, runs }] of form.logs) {
    parts.push(text(name), f64([head]), f64([tail]), text('f64'), names(columns))
    parts.push(u32(runs.length), ...runs)
  }
  return hashOf(parts)
}

function hashOf(parts: readonly Uint8Array[]): string {
  let a = 0x811c9dc5
  let b = 0x9747b28c
  for (const bytes of parts)
    for (const byte of bytes) {
      a = Math.imul(a ^ byte, 0x01000193)
      b = Math.imul(b + byte, 0xcc9e2d51)
      b ^= b >>> 13
    }
  const hex = (value: number) => (value >>> 0).toString(16).padStart(8, '0')
  return hex(a) + hex(b)
}
