import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { GatewayChain } from '../gatewayChain.ts'
import { Board, type BoardQuery, type Ranked, Selection } from './board.ts'
import type { BoardSubject } from './boardSubject.ts'
import { blindPlan, planScan } from './scanPlan.ts'
import { selectRows } from './screener.ts'

// A selection alone needs no market.
function selectionOf(values: readonly number[], limit: number, sign: 1 | -1): number[] {
  const query: BoardQuery = { ranges: [], column: 0, sign, limit, after: null }
  const selection = new Selection(query, blindPlan(query))
  for (const [id, value] of values.entries())
    if (sign * value > selection.least) selection.add(id, sign * value)
  return selection.largest().map(({ id }) => id)
}

test('behavior: the largest of many, equal ones by id, as sorting all of them gives', () => {
  const anyValues = fc.array(
    fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true, min: -1e9, max: 1e9 })),
    {
      maxLength: 300,
    },
  )
  fc.assert(
    fc.property(
      anyValues,
      fc.integer({ min: 1, max: 20 }),
      fc.constantFrom(1 as const, -1 as const),
      (values, limit, sign) => {
        const wanted = [...values.keys()]
          .sort((a, b) => sign * (values[b]! - values[a]!) || a - b)
          .slice(0, limit)
        expect(selectionOf(values, limit, sign)).toEqual(wanted)
      },
    ),
  )
})

const boardSize = 20_000

/** A board whose first column grows with the ids, and whose others are as they come; some rows have no value. */
function boardOf(seed: number, isGone: (id: number) => boolean = () => false): Board {
  const subject: BoardSubject = {
    measures: [],
    columnCount: 4,
    tradingColumns: { from: 4, to: 4 },
    count: () => boardSize,
    lastTradeBlock: () => 1,
    readNow(_chain, id, _words, to) {
      const any = (column: number) => Math.imul(id + seed, 2_654_435_761 + column) >>> 0
      to[0] = isGone(id) ? Number.NaN : id
      to[1] = any(1) % 7
      to[2] = any(2) % 10_000
      to[3] = any(3) % 3 === 0 ? Number.NaN : any(3)
      return true
    },
    readTrading: () => Number.POSITIVE_INFINITY,
  }
  const board = new Board({} as GatewayChain, subject)
  for (let id = 0; id < boardSize; id += 1) board.refresh(id, 0)
  return board
}

/** By sorting all rows. */
function sortedRows(board: Board, { ranges, column, sign, limit, after }: BoardQuery): Ranked[] {
  return Array.from({ length: boardSize }, (_, id) => ({
    id,
    value: sign * board.value(id, column),
  }))
    .filter(({ id, value }) => !Number.isNaN(value) && board.isWithin(id, ranges))
    .sort((a, b) => b.value - a.value || a.id - b.id)
    .filter(
      ({ id, value }) =>
        after === null || value < after.value || (value === after.value && id > after.id),
    )
    .slice(0, limit)
}

const anyRange = fc.record({
  column: fc.integer({ min: 0, max: 2 }),
  min: fc.integer({ min: -1, max: 21_000 }),
  max: fc.constantFrom(3, 500, 30_000),
})

const anyQuery: fc.Arbitrary<BoardQuery> = fc.record({
  ranges: fc.array(anyRange, { maxLength: 3 }),
  column: fc.integer({ min: 0, max: 3 }),
  sign: fc.constantFrom(1 as const, -1 as const),
  limit: fc.integer({ min: 1, max: 100 }),
  after: fc.constantFrom(null, { id: 12_345, value: 3 }, { id: 7_000, value: 9_000 }),
})

test('behavior: a scan by a plan gives what sorting all rows gives', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(1_000), anyQuery, async (seed, query) => {
      const board = boardOf(seed)
      expect(await selectRows(board, query, () => null)).toEqual(sortedRows(board, query))
    }),
    { numRuns: 60 },
  )
})

test('edge: rows that the plan counted on become smaller while it is scanned', async () => {
  let keptCount = boardSize
  const board = boardOf(1, (id) => id >= keptCount)
  const query: BoardQuery = { ranges: [], column: 0, sign: 1, limit: 50, after: null }
  expect(planScan(board, query).least).toBeGreaterThan(0)
  const shrink = () => {
    keptCount = 20
    for (let id = 0; id < boardSize; id += 1) board.refresh(id, 0)
    return null
  }
  expect((await selectRows(board, query, shrink))!.map(({ id }) => id)).toEqual(
    Array.from({ length: 20 }, (_, at) => 19 - at),
  )
})
