import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BlockGenerator, generatorProfile } from '../../../../../test/support/blockGenerator.ts'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import { ByteReader } from '../../lib/bytes/byteReader.ts'
import { ByteWriter } from '../../lib/bytes/byteWriter.ts'
import { StringTable } from '../../lib/bytes/stringTable.ts'
import { fieldCodecs } from '../../model/recordType.ts'
import { createEngine, type Engine, restoreEngine } from '../engine.ts'
import { byteRangeOf } from '../tables/byteParts.ts'
import { snapshotFormat } from './snapshotChanges.ts'
import {
  type DecodedSnapshot,
  decodeSnapshot,
  encodeSnapshot,
  type SnapshotList,
  type SnapshotRows,
} from './snapshotEncoding.ts'

const profile = { ...generatorProfile, reorgDepthMax: 0 }

function marketOf(seed: number, blocks: number): Engine {
  const generator = new BlockGenerator({ seed, standInShare: 0.2, stepSMax: 90 })
  const engine = createEngine({ profile })
  for (let made = 0; made < blocks; made += 1)
    engine.apply({ type: 'commit', block: generator.next() })
  return engine
}

const doublesOf = ({ runs }: SnapshotRows) => new Float64Array(new Uint8Array(runs.joined()).buffer)

function freeRows(doubles: Float64Array, width: number): Set<number> {
  const free = new Set<number>()
  for (let row = doubles[1]!; row !== 0; row = doubles[row * width]!) free.add(row)
  return free
}

/**
 * Rewrites rows with other columns, as another version would have. A header and the links of free
 * rows keep their positions, whatever the columns there are called.
 */
function relaid(rows: SnapshotRows, columns: readonly string[], first: number): SnapshotRows {
  const from = doublesOf(rows)
  const width = rows.columns.length
  const count = from.length / width
  const to = new Float64Array(count * columns.length)
  const free = first === 1 ? freeRows(from, width) : new Set<number>()
  for (let row = 0; row < count; row += 1) {
    const at = row * width
    const line = to.subarray(row * columns.length, (row + 1) * columns.length)
    if (row < first) line.set(from.subarray(at, at + Math.min(width, line.length)))
    else if (free.has(row)) line[0] = from[at]!
    else
      columns.forEach((name, column) => {
        const source = rows.columns.indexOf(name)
        line[column] = source < 0 ? 7 : from[at + source]!
      })
  }
  return { columns, runs: byteRangeOf(new Uint8Array(to.buffer)) }
}

/** Rewrites records with other fields. Unknown names become new fields with the value `1`. */
function withFields({ count, fields, words, runs }: SnapshotList, names: readonly string[]) {
  const reader = new ByteReader({
    words: { at: (place) => words[place - 1] },
    corrupt: expect.unreachable,
  })
  const places = new StringTable()
  const writer = new ByteWriter({ words: places })
  places.add([...words].reverse())
  const bytes = runs.joined()
  const parts: Uint8Array[] = []
  for (let at = 0, left = count; left > 0; left -= 1) {
    const from = at + 2
    at = from + bytes.readUInt16LE(at)
    reader.open(bytes, from, at)
    const values = new Map<string, unknown>()
    if (at > from)
      for (const [name, type] of fields) values.set(name, fieldCodecs.get(type)!.read(reader))
    writer.start()
    if (at > from)
      for (const name of names)
        if (values.has(name)) fieldCodecs.get(fields.get(name)!)!.write(writer, values.get(name))
        else writer.whole(1)
    parts.push(Uint8Array.of(writer.length & 0xff, writer.length >> 8, ...writer.written()))
  }
  const types = names.map((name) => [name, fields.get(name) ?? 'whole'] as const)
  return { count, fields: new Map(types), words: places.texts, runs: byteRangeOf(...parts) }
}

/** Shuffles all names of a snapshot and adds some that this version does not know. */
function shuffled(
  form: DecodedSnapshot,
  orderOf: (names: readonly string[]) => string[],
): DecodedSnapshot {
  const inOrder = <value>(map: ReadonlyMap<string, value>) =>
    new Map(orderOf([...map.keys()]).map((name) => [name, map.get(name)!]))
  const tables = [...form.tables].map(([name, table]) => {
    const columns = orderOf([...table.columns, 'gone', 'gone too'])
    return [name, { ...table, ...relaid(table, columns, 1) }] as const
  })
  const logs = [...form.logs].map(([name, log]) => {
    const columns = orderOf([...log.columns, 'gone'])
    return [name, { ...log, ...relaid(log, columns, 0) }] as const
  })
  const lists = [...form.lists].map(([name, list]) => {
    return [name, withFields(list, orderOf([...list.fields.keys(), 'gone']))] as const
  })
  return {
    ...form,
    numbers: inOrder(new Map([...form.numbers, ['gone', 1]])),
    lists: inOrder(
      new Map([
        ...lists,
        ['gone', { count: 0, fields: new Map(), words: [], runs: byteRangeOf() }],
      ]),
    ),
    tables: inOrder(new Map([...tables, ['gone', { ...tables[0]![1] }]])),
    logs: inOrder(new Map([...logs, ['gone', { ...logs[0]![1] }]])),
  }
}

const bytesOf = (parts: Iterable<Uint8Array>) => Buffer.concat([...parts])

const blocksOf = fc.integer({ min: 1, max: 60 })
const seeds = fc.integer({ min: 0, max: 2 ** 31 })

test('behavior: columns, fields and tables in any order, with unknown ones, give the same market', () => {
  fc.assert(
    fc.property(seeds, blocksOf, fc.func(fc.integer()), (seed, blocks, place) => {
      const engine = marketOf(seed, blocks)
      const orderOf = (names: readonly string[]) =>
        names
          .map((name) => [place(name), name] as const)
          .sort(([a], [b]) => a - b)
          .map(([, name]) => name)
      const form = decodeSnapshot(engine.snapshot(), snapshotFormat)
      expect(bytesOf(encodeSnapshot(form)).compare(bytesOf(engine.snapshot()))).toBe(0)
      const restored = restoreEngine({ profile }, encodeSnapshot(shuffled(form, orderOf)))
      expect(bytesOf(restored.snapshot()).compare(bytesOf(engine.snapshot()))).toBe(0)
    }),
    { numRuns: propertyRuns(40) },
  )
})

test('behavior: missing columns get their defaults, all others keep their values', () => {
  fc.assert(
    fc.property(seeds, blocksOf, fc.func(fc.nat(9)), (seed, blocks, dice) => {
      const engine = marketOf(seed, blocks)
      const form = decodeSnapshot(engine.snapshot(), snapshotFormat)
      // Columns by which rows are found, and from which data is derived after a restore.
      const needed =
        /^(tokens|pairs|quoteSides)\.(.*(Token|Row|Head|Tail|Place|next.*|flags|quoteIndex|token))$/
      const isKept = (name: string) => needed.test(name) || dice(name) !== 0
      for (const [name, table] of form.tables) {
        const columns = table.columns.filter((column) => isKept(`${name}.${column}`))
        if (columns.length >= table.header.length)
          form.tables.set(name, { ...table, ...relaid(table, columns, 1) })
      }
      const restored = restoreEngine({ profile }, encodeSnapshot(form))
      const again = decodeSnapshot(restored.snapshot(), snapshotFormat)
      const before = decodeSnapshot(engine.snapshot(), snapshotFormat)
      for (const [name, table] of before.tables) {
        const written = form.tables.get(name)!
        const expected = doublesOf(table)
        const found = doublesOf(again.tables.get(name)!)
        const width = table.columns.length
        const free = freeRows(expected, width)
        for (let at = width; at < expected.length; at += 1) {
          // A free row has only the link to the next free row.
          const isFree = free.has(Math.floor(at / width))
          const has = isFree || written.columns.includes(table.columns[at % width]!)
          if (found[at] !== (has ? expected[at] : 0))
            expect.fail(`${name}.${table.columns[at % width]}: ${found[at]}, was ${expected[at]}`)
        }
      }
    }),
    { numRuns: propertyRuns(40) },
  )
})

test('error: truncated or extended bytes are refused', () => {
  const bytes = bytesOf(marketOf(3, 12).snapshot())
  const read = (part: Uint8Array) => () => restoreEngine({ profile }, [part])
  fc.assert(
    fc.property(fc.integer({ min: 0, max: bytes.length - 1 }), (length) => {
      expect(read(bytes.subarray(0, length))).toThrow(
        expect.objectContaining({ code: 'SNAPSHOT_UNREADABLE' }),
      )
    }),
    { numRuns: propertyRuns(400) },
  )
  expect(read(Buffer.concat([bytes, Buffer.of(0)]))).toThrow('follow the end of the snapshot')
})

test('behavior: a snapshot may be split into parts anywhere', () => {
  const engine = marketOf(5, 40)
  const bytes = bytesOf(engine.snapshot())
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 40 }), (cuts) => {
      const ends = [...cuts.sort((a, b) => a - b), bytes.length]
      const parts = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
      expect(restoreEngine({ profile }, parts).stateHash()).toBe(engine.stateHash())
    }),
    { numRuns: propertyRuns(60) },
  )
  const single = Array.from(bytes, (byte) => Uint8Array.of(byte))
  expect(restoreEngine({ profile }, single).stateHash()).toBe(engine.stateHash())
})

test('behavior: a missing field has its fallback', () => {
  const form = decodeSnapshot(marketOf(7, 20).snapshot(), snapshotFormat)
  const names = (name: string) => [...form.lists.get(name)!.fields.keys()]
  const without = (name: string, gone: string) =>
    form.lists.set(
      name,
      withFields(
        form.lists.get(name)!,
        names(name).filter((one) => one !== gone),
      ),
    )
  without('tokens', 'symbol')
  without('pairs', 'amm')
  const restored = restoreEngine({ profile }, encodeSnapshot(form))
  const engine = marketOf(7, 20)
  expect(restored.tokenRecord(0)).toEqual({ ...engine.tokenRecord(0), symbol: '' })
  expect(restored.pairRecord(0)).toEqual({ ...engine.pairRecord(0), amm: '' })
})

test('error: a field of another or unknown type is refused', () => {
  const form = decodeSnapshot(marketOf(7, 20).snapshot(), snapshotFormat)
  const tokens = form.lists.get('tokens')!
  for (const [name, type] of [
    ['decimals', 'text'],
    ['gone', 'of another kind'],
  ] as const) {
    const lists = new Map(form.lists)
    lists.set('tokens', { ...tokens, fields: new Map([...tokens.fields, [name, type]]) })
    expect(() => restoreEngine({ profile }, encodeSnapshot({ ...form, lists }))).toThrow(
      expect.objectContaining({ code: 'SNAPSHOT_UNREADABLE' }),
    )
  }
})
