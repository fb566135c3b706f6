import { expect, test } from 'vitest'
import {
  createChain,
  eventsOfType,
  genesis,
  pair,
  profile,
  sync,
} from '../../../../../test/support/marketChain.ts'
import { restoreEngine } from '../engine.ts'
import { MarketState } from '../marketState.ts'
import { byteRangeOf } from '../tables/byteParts.ts'
import { RowLog } from '../tables/rowLog.ts'
import { columnNames, RowTable } from '../tables/rowTable.ts'
import { UndoLog } from '../tables/undoLog.ts'
import { convertSnapshot, snapshotChanges, snapshotFormat } from './snapshotChanges.ts'
import { decodeSnapshot, encodeSnapshot } from './snapshotEncoding.ts'

function marketBytes(): readonly Uint8Array[] {
  const { engine, commit } = createChain()
  commit(genesis)
  engine.apply({ type: 'finalize', ref: engine.head()! })
  return [...engine.snapshot()]
}

const formOf = () => decodeSnapshot(marketBytes(), snapshotFormat)

test('default: each change is the next format', () => {
  expect(snapshotChanges.map(({ format }) => format)).toEqual(
    snapshotChanges.map((_, index) => index + 2),
  )
  expect(new Set(snapshotChanges.map(({ name }) => name)).size).toBe(snapshotChanges.length)
})

test('behavior: only changes newer than the snapshot are applied, in order', () => {
  const form = formOf()
  const done: number[] = []
  const changes = [2, 3, 4, 5, 6].map((format) => ({
    format,
    name: `${format}`,
    convert: format === 5 ? undefined! : () => done.push(format),
  }))
  form.format = 3
  convertSnapshot(form, changes)
  expect([done, form.format]).toEqual([[4, 6], 6])
  form.format = 1
  expect(() => convertSnapshot(form, changes.slice(1))).toThrow(
    'No change converts snapshot format 1',
  )
})

test('behavior: a conversion gets all data by name and may rewrite values', () => {
  const form = formOf()
  // Converts as if the previous format had stored all-time highs in cents.
  const pairs = form.tables.get('pairs')!
  const doubles = new Float64Array(new Uint8Array(pairs.runs.joined()).buffer)
  const column = pairs.columns.indexOf('athUsd')
  const toDollars = (scale: number) => () => {
    for (let at = column; at < doubles.length; at += pairs.columns.length) doubles[at]! *= scale
    form.tables.set('pairs', { ...pairs, runs: byteRangeOf(new Uint8Array(doubles.buffer)) })
  }
  toDollars(100)()
  const next = { format: snapshotFormat + 1, name: 'in USD', convert: toDollars(1 / 100) }
  convertSnapshot(form, [...snapshotChanges, next])
  expect(form.format).toBe(next.format)
  form.format = snapshotFormat
  const restored = restoreEngine({ profile }, encodeSnapshot(form))
  expect(restored.pairState(0)).toEqual(restoreEngine({ profile }, marketBytes()).pairState(0))
})

test('behavior: a main-pair challenge continues after a restore', () => {
  const { engine, commit, pass } = createChain()
  commit(genesis)
  commit({ pairs: [pair(2, 4, 1)], events: [sync(2, 2_000, 3_000_000)] })
  for (let left = 8; left > 0; left -= 1) pass()
  engine.apply({ type: 'finalize', ref: engine.head()! })
  const restored = restoreEngine({ profile }, [...engine.snapshot()])
  let switchedAfter: number | null = null
  for (let count = 1; count <= 30; count += 1) {
    pass()
    const ref = engine.head()!
    const parts = { receivedMs: 0, tokens: [], pairs: [], supplies: [], nativeUsd: null }
    const block = { ref, ...parts, events: [sync(0, 1_000, 2_000_000)] }
    if (eventsOfType(restored.apply({ type: 'commit', block }), 'mainPair').length > 0)
      switchedAfter = count
  }
  expect(switchedAfter).toBe(12)
})

test('error: a snapshot of a newer version is refused, with both formats in the message', () => {
  const bytes = encodeSnapshot({ ...formOf(), format: snapshotFormat + 1 })
  expect(() => restoreEngine({ profile }, bytes)).toThrow(
    expect.objectContaining({
      code: 'SNAPSHOT_TOO_NEW',
      meta: expect.arrayContaining([
        `Its snapshot has format: ${snapshotFormat + 1}`,
        `Newest known here: ${snapshotFormat}`,
        expect.stringMatching(/newer version.*backup/),
      ]),
    }),
  )
})

test.each([
  ['of another chain', { texts: new Map([['chain', 'other']]) }, 'chain "other", not "local"'],
  ['in other units', { units: new Map() }, '"fineBuckets.lengthS" is undefined, not 5'],
  ['without its pairs', { tables: new Map() }, '0 rows of tokens'],
  ['with another first word', null, 'does not start like a snapshot'],
])('error: %s', (_name, change, message) => {
  const bytes = change === null ? [new Uint8Array(100)] : encodeSnapshot({ ...formOf(), ...change })
  expect(() => restoreEngine({ profile }, bytes)).toThrow(message)
})

test('error: unnamed or duplicate columns are refused', () => {
  const undo = new UndoLog()
  expect(columnNames({ a: 0, c: 3, b: 1 }, { b: ['x', 'y'] })).toEqual(['a', 'b.x', 'b.y', 'c'])
  expect(() => columnNames({ a: 0, b: 2 })).toThrow('column b begins where')
  expect(() => columnNames({ a: 0, b: 0 })).toThrow('column b begins where')
  const table = (name: string, columns: readonly string[]) => () =>
    new RowTable(undo, { name, columns })
  expect(table('rows', ['a', 'a'])).toThrow('no two columns of rows')
  expect(table('rows', ['a', ''])).toThrow('names')
  expect(table('', ['a', 'b'])).toThrow('names')
  expect(() => new RowTable(undo, { name: 'rows', columns: ['a', 'b'], parts: [2, 1] })).toThrow(
    'every column of rows is in a part',
  )
  expect(() => new RowLog(undo, { name: 'log', columns: ['a', 'a'] })).toThrow('no two columns')
})

test('behavior: names of tables and logs are unique', () => {
  const state = new MarketState({ profile })
  for (const named of [state.tables(), state.logs()])
    expect(new Set(named.map(({ name }) => name)).size).toBe(named.length)
})
