import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { GatewayChain } from '../../chain/gatewayChain.ts'
import { type BoardQuery, type RankedRow, ScreenerBoard } from '../board.ts'
import type { BoardSubject } from '../boardSubject.ts'
import { BoardScan, LargestRows, scanBoard } from './boardScan.ts'
import { zoneRows } from './zones.ts'

// A `Selection` can be tested without a market.
function selectionOf(values: readonly number[], ids: readonly number[], limit: number): number[] {
  const selection = new LargestRows(limit)
  for (const id of ids) if (selection.accepts(id, values[id]!)) selection.add(id, values[id]!)
  return selection.largest().map(({ id }) => id)
}

const anyValues = fc.array(
  fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true, min: -1e9, max: 1e9 })),
  { maxLength: 300 },
)

test('behavior: selects the largest values, equal ones by id, in any input order', () => {
  fc.assert(
    fc.property(
      anyValues.chain((values) =>
        fc.tuple(
          fc.constant(values),
          fc.shuffledSubarray([...values.keys()], { minLength: values.length }),
        ),
      ),
      fc.integer({ min: 1, max: 20 }),
      ([values, ids], limit) => {
        const wanted = [...values.keys()]
          .sort((a, b) => values[b]! - values[a]! || a - b)
          .slice(0, limit)
        expect(selectionOf(values, ids, limit)).toEqual(wanted)
      },
    ),
  )
})

const boardSize = 20_000

/**
 * A board whose first column grows with the ids and whose other columns are arbitrary. Some rows
 * have no value.
 */
function subjectOf(seed: () => number, isGone: (id: number) => boolean): BoardSubject {
  return {
    measures: [],
    columnCount: 5,
    tradingColumns: { from: 5, to: 5 },
    count: () => boardSize,
    lastTradeBlock: () => 1,
    readCurrent(_chain, id, _words, to) {
      const any = (column: number) => Math.imul(id + seed(), 2_654_435_761 + column) >>> 0
      to[0] = isGone(id) ? Number.NaN : id
      to[1] = any(1) % 7
      to[2] = any(2) % 10_000
      to[3] = any(3) % 3 === 0 ? Number.NaN : any(3)
      // A column with a value in very few rows.
      to[4] = any(4) % 5_000 === 0 ? any(4) : 0
      return true
    },
    readTrading: () => Number.POSITIVE_INFINITY,
  }
}

function readRows(
  board: ScreenerBoard,
  isRead: (id: number) => boolean = () => true,
): ScreenerBoard {
  for (let id = 0; id < boardSize; id += 1) if (isRead(id)) board.refresh(id, 0)
  return board
}

const boardOf = (seed: () => number, isGone: (id: number) => boolean = () => false) =>
  readRows(new ScreenerBoard({} as GatewayChain, subjectOf(seed, isGone)))

/** The expected result, by sorting all rows. */
function sortedRows(
  board: ScreenerBoard,
  { ranges, column, sign, limit, after }: BoardQuery,
): RankedRow[] {
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
  column: fc.integer({ min: 0, max: 4 }),
  min: fc.integer({ min: -1, max: 21_000 }),
  max: fc.constantFrom(3, 500, 30_000, 1e10),
})

const anyQuery: fc.Arbitrary<BoardQuery> = fc.record({
  ranges: fc.array(anyRange, { maxLength: 3 }),
  column: fc.integer({ min: 0, max: 4 }),
  sign: fc.constantFrom(1 as const, -1 as const),
  limit: fc.integer({ min: 1, max: 100 }),
  after: fc.constantFrom(
    null,
    { id: 12_345, value: 3 },
    { id: 7_000, value: 9_000 },
    { id: 300, value: 0 },
  ),
})

test('behavior: a scan equals sorting all rows', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(1_000), anyQuery, async (seed, query) => {
      const board = boardOf(() => seed)
      expect(await scanBoard(board, query, () => null)).toEqual(sortedRows(board, query))
    }),
    { numRuns: 60 },
  )
})

test('behavior: pages contain every row once, in the full order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(1_000), anyQuery, async (seed, query) => {
      const board = boardOf(() => seed)
      const wanted = sortedRows(board, { ...query, limit: 5 * query.limit })
      const rows: RankedRow[] = []
      for (let page = 0; page < 5; page += 1) {
        const after = rows.at(-1) ?? query.after
        rows.push(...(await scanBoard(board, { ...query, after }, () => null))!)
      }
      expect(rows).toEqual(wanted)
    }),
    { numRuns: 20 },
  )
})

test('behavior: results do not depend on bounds being tight', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({ seed: fc.nat(1_000), every: fc.constantFrom(1, 7, 1_000), share: fc.nat(3) }),
        { minLength: 1, maxLength: 4 },
      ),
      anyQuery,
      async (changes, query) => {
        let seed = 0
        const board = boardOf(
          () => seed,
          (id) => id % 1_001 < seed,
        )
        for (const change of changes) {
          seed = change.seed
          readRows(board, (id) => id % change.every === 0)
          for (let id = 0; id < boardSize; id += zoneRows)
            if ((id / zoneRows) % 4 < change.share) board.tighten(id)
          expect(await scanBoard(board, query, () => null)).toEqual(sortedRows(board, query))
        }
      },
    ),
    { numRuns: 30 },
  )
})

/** Returns how many zones a query scans. */
function zonesLookedAt(board: ScreenerBoard, query: BoardQuery): number {
  const scan = new BoardScan(board, query)
  let count = 0
  for (; !scan.isOver; count += 1) scan.step(1)
  return count
}

test('behavior: zones that cannot contain a result are not scanned', () => {
  const board = boardOf(() => 1)
  const query: BoardQuery = { ranges: [], column: 0, sign: 1, limit: 50, after: null }
  expect(zonesLookedAt(board, query)).toBeLessThan(3)
  expect(zonesLookedAt(board, { ...query, after: { id: 10_000, value: 10_000 } })).toBeLessThan(3)
  const nobody = { column: 2, min: 10_000, max: Number.POSITIVE_INFINITY }
  expect(zonesLookedAt(board, { ...query, ranges: [nobody] })).toBe(0)
})

test('behavior: zones whose values have shrunk are skipped once tightened', () => {
  let keptCount = boardSize
  const board = boardOf(
    () => 1,
    (id) => id >= keptCount,
  )
  const query: BoardQuery = { ranges: [], column: 0, sign: 1, limit: 50, after: null }
  keptCount = 1_000
  readRows(board)
  expect(zonesLookedAt(board, query)).toBeGreaterThan(70)
  for (let id = 0; id < boardSize; id += zoneRows) board.tighten(id)
  expect(zonesLookedAt(board, query)).toBe(1)
})

test('edge: rows of the first zones may shrink during a scan', async () => {
  let keptCount = boardSize
  const board = boardOf(
    () => 1,
    (id) => id >= keptCount,
  )
  const query: BoardQuery = { ranges: [], column: 0, sign: 1, limit: 50, after: null }
  const shrink = () => {
    keptCount = 20
    readRows(board)
    return null
  }
  expect((await scanBoard(board, query, shrink))!.map(({ id }) => id)).toEqual(
    Array.from({ length: 20 }, (_, at) => 19 - at),
  )
})
