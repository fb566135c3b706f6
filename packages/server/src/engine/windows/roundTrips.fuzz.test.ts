// Blocks of trades by few wallets on few pairs, some of them reverted. Organic trades at the end
// are compared with the definition, applied to the plain list of trades that were not reverted.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import { createRandom } from '../../../../../test/support/random.ts'
import { createTrade } from '../tables/trade.ts'
import { UndoLog, type UndoRecord } from '../tables/undoLog.ts'
import { RoundTrips } from './roundTrips.ts'

type Traded = { pairRow: number; hash: number; isBuy: boolean; timeS: number; id: number }

/**
 * Ids of trades whose wallet never traded the same pair in the other direction within 60 seconds.
 */
function organicIds(trades: readonly Traded[]): number[] {
  const isTrip = (a: Traded, b: Traded) =>
    a.hash === b.hash &&
    a.pairRow === b.pairRow &&
    a.isBuy !== b.isBuy &&
    Math.abs(a.timeS - b.timeS) <= 60
  return trades.filter((a) => !trades.some((b) => isTrip(a, b))).map(({ id }) => id)
}

function createLog(undo: UndoLog) {
  const roundTrips = new RoundTrips(undo)
  const trade = createTrade()
  return {
    /** Applies a block. Returns the ids of trades that are organic afterwards. */
    apply(timeS: number, trades: readonly Traded[], organic: ReadonlySet<number>): Set<number> {
      const left = new Set(organic)
      roundTrips.startBlock(timeS)
      for (const { id, ...facts } of trades) {
        // Volume and bucket both identify the trade.
        Object.assign(trade, facts, { usdE8: id })
        const isOrganic = roundTrips.addTrade(trade, -id, (atS, bucket, usdE8) => {
          expect(bucket).toBe(-usdE8)
          expect(timeS - atS).toBeLessThanOrEqual(60)
          expect(left.delete(usdE8)).toBe(true)
        })
        if (isOrganic) left.add(id)
      }
      return left
    },
  }
}

type Block = { timeS: number; trades: Traded[]; organic: Set<number>; record: UndoRecord }

type Options = { pairs: number; wallets: number; perBlock: number; stepSMax: number }

function play(seed: number, moves: number, options: Options): void {
  const random = createRandom(seed)
  const upTo = (max: number) => Math.floor(random() * (max + 1))
  const undo = new UndoLog()
  const log = createLog(undo)
  const blocks: Block[] = []
  let id = 0
  for (let move = 0; move < moves; move += 1) {
    if (blocks.length > 0 && random() < 0.1) {
      for (let left = 1 + upTo(2); left > 0 && blocks.length > 0; left -= 1)
        undo.revert(blocks.pop()!.record)
      continue
    }
    const timeS = (blocks.at(-1)?.timeS ?? 1_700_000_000) + upTo(options.stepSMax)
    const trades = Array.from({ length: upTo(options.perBlock) }, (): Traded => {
      id += 1
      const pairRow = 1 + upTo(options.pairs)
      return { pairRow, hash: 1 + upTo(options.wallets), isBuy: random() < 0.5, timeS, id }
    })
    const record = undo.begin()
    const organic = log.apply(timeS, trades, blocks.at(-1)?.organic ?? new Set())
    undo.end()
    blocks.push({ timeS, trades, organic, record })
  }
  const expected = organicIds(blocks.flatMap(({ trades }) => trades))
  expect([...(blocks.at(-1)?.organic ?? [])].sort((a, b) => a - b)).toEqual(expected)
}

test('behavior: a trade is organic unless its wallet trades the other way within a minute', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2 ** 31 }),
      fc.nat({ max: 150 }),
      fc.record({
        pairs: fc.constant(3),
        wallets: fc.constant(5),
        perBlock: fc.integer({ min: 1, max: 4 }),
        stepSMax: fc.integer({ min: 1, max: 200 }),
      }),
      play,
    ),
    { numRuns: propertyRuns(300, { isCheap: true }) },
  )
})

test('behavior: organic trades are exact beyond the initial number of hash chains', () => {
  const options = { pairs: 30, wallets: 200, perBlock: 200, stepSMax: 3 }
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (seed) => play(seed, 60, options)),
    { numRuns: 10 },
  )
})
