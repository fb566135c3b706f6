// Compares rows that gain and lose prices and trades with their plain values.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { GatewayChain } from '../chain/gatewayChain.ts'
import { type BoardQuery, ScreenerBoard } from './board.ts'
import { SharedColumns } from './boardColumns.ts'
import type { BoardSubject } from './boardSubject.ts'
import { scanBoard } from './scan/boardScan.ts'
import { zoneRows } from './scan/zones.ts'

const rowCount = 2 * zoneRows + 50
const daySeconds = 86_400

type Row = { isPriced: boolean; tradedBlock: number; tradedAtS: number }

const never = Number.NEGATIVE_INFINITY

/** Columns: two of the current state, two of trading, one more of the current state. */
function truthOf({ isPriced, tradedBlock, tradedAtS }: Row, id: number, nowS: number): number[] {
  if (!isPriced) return Array.from({ length: 5 }, () => Number.NaN)
  const isQuiet = tradedAtS <= nowS - daySeconds
  return [id, id % 7, isQuiet ? 0 : tradedBlock, isQuiet ? 0 : 2 - (tradedBlock % 5), id % 3]
}

function subjectOf(rows: readonly Row[], clock: { nowS: number }): BoardSubject {
  return {
    measures: [],
    columnCount: 5,
    tradingColumns: { from: 2, to: 4 },
    count: () => rows.length,
    lastTradeBlock: (_, id) => rows[id]!.tradedBlock,
    readCurrent(_chain, id, _words, to) {
      to.fill(Number.NaN)
      const truth = truthOf(rows[id]!, id, clock.nowS)
      for (const column of [0, 1, 4]) to[column] = truth[column]!
      return rows[id]!.isPriced
    },
    readTrading(_chain, id, nowS, to) {
      const truth = truthOf(rows[id]!, id, nowS)
      for (const column of [2, 3]) to[column] = truth[column]!
      const { tradedAtS } = rows[id]!
      return tradedAtS <= nowS - daySeconds ? Number.POSITIVE_INFINITY : tradedAtS + daySeconds
    },
  }
}

const steps = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant('trade' as const), ids: fc.array(fc.nat(), { maxLength: 40 }) }),
    fc.record({ type: fc.constant('price' as const), ids: fc.array(fc.nat(), { maxLength: 40 }) }),
    fc.record({ type: fc.constant('wait' as const), ids: fc.constantFrom([], [1]) }),
    fc.record({ type: fc.constant('forget' as const), ids: fc.array(fc.nat(), { maxLength: 2 }) }),
  ),
  { minLength: 1, maxLength: 15 },
)
const anyQuery: fc.Arbitrary<BoardQuery> = fc.record({
  ranges: fc.array(
    fc.record({
      column: fc.nat(4),
      min: fc.constantFrom(never, 0, 1),
      max: fc.constantFrom(0, 3, Number.POSITIVE_INFINITY),
    }),
    { maxLength: 2 },
  ),
  column: fc.nat(4),
  sign: fc.constantFrom(1, -1),
  limit: fc.integer({ min: 1, max: 60 }),
  after: fc.constant(null),
})

/** The expected result, by sorting all rows. */
function plainRows(truths: readonly number[][], { ranges, column, sign, limit }: BoardQuery) {
  const isWithin = (row: readonly number[]) =>
    ranges.every((range) => row[range.column]! >= range.min && row[range.column]! <= range.max)
  return truths
    .map((row, id) => ({ id, value: sign * row[column]!, row }))
    .filter(({ value, row }) => !Number.isNaN(value) && isWithin(row))
    .sort((a, b) => b.value - a.value || a.id - b.id)
    .slice(0, limit)
    .map(({ id, value }) => ({ id, value: value + 0 }))
}

test('behavior: a row keeps the values of its last read and is selected by them', async () => {
  await fc.assert(
    fc.asyncProperty(steps, anyQuery, async (all, query) => {
      const clock = { nowS: 10 * daySeconds }
      const rows: Row[] = Array.from({ length: rowCount }, (_, id) => ({
        isPriced: id % 5 !== 0,
        tradedBlock: 1,
        tradedAtS: id % 4 === 0 ? clock.nowS - id : 0,
      }))
      const board = new ScreenerBoard({} as GatewayChain, subjectOf(rows, clock))
      for (const [at, { type, ids }] of all.entries()) {
        for (const id of ids.map((any) => any % rowCount)) {
          const row = rows[id]!
          if (type === 'price') row.isPriced = !row.isPriced
          if (type === 'trade') Object.assign(row, { tradedBlock: at + 2, tradedAtS: clock.nowS })
          if (type === 'forget') board.invalidate(id)
        }
        if (type === 'wait') clock.nowS += ids.length === 0 ? 300 : daySeconds
        if (type === 'forget' && ids.length === 0) board.invalidateAll()
        rows.forEach((_, id) => {
          board.refresh(id, clock.nowS)
        })
        if (at % 2 === 0) for (let id = 0; id < rowCount; id += zoneRows) board.tighten(id)
        const truths = rows.map((row, id) => truthOf(row, id, clock.nowS))
        const held = truths.map((truth, id) => truth.map((_, column) => board.value(id, column)))
        expect(held).toEqual(truths)
        const found = await scanBoard(board, query, () => null)
        expect(found!.map(({ id, value }) => ({ id, value: value + 0 }))).toEqual(
          plainRows(truths, query),
        )
      }
    }),
    { numRuns: 60 },
  )
})

test('behavior: rows with shared values take no room, even after having had their own', () => {
  const columns = new SharedColumns(2, [Number.NaN, 0])
  columns.grow(10_000)
  for (let id = 0; id < 10_000; id += 1) {
    expect(columns.value(id, 1)).toBeNaN()
    columns.share(id, 1)
    const place = columns.own(id)
    expect(columns.own(id)).toBe(place)
    columns.set(place, 0, 5)
    columns.set(place, 1, 6)
    expect([columns.value(id, 0), columns.value(id, 1)]).toEqual([5, 6])
    expect([...columns.owners()]).toEqual([id])
    columns.share(id, 1)
    expect(columns.value(id, 1)).toBe(0)
  }
  expect([...columns.owners()]).toEqual([])
  expect(columns.placeCount).toBe(3)
})

test('edge: a row of zeros that time will change is not quiet', () => {
  const row = { isPriced: true, tradedBlock: 0, tradedAtS: 10 * daySeconds }
  const clock = { nowS: 10 * daySeconds }
  const board = new ScreenerBoard({} as GatewayChain, {
    ...subjectOf([row], clock),
    readTrading(_chain, _id, _nowS, to) {
      to.fill(0, 2, 4)
      return clock.nowS + 100
    },
  })
  board.refresh(0, clock.nowS)
  expect([...board.tradedIds()]).toEqual([0])
  row.isPriced = false
  board.refresh(0, clock.nowS)
  expect([...board.tradedIds()]).toEqual([])
})
