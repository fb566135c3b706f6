import { expect, test } from 'vitest'
import type { MarketState } from '../marketState.ts'
import { pairColumn as P, pairFlag } from '../tables/pairTable.ts'
import { UndoLog } from '../tables/undoLog.ts'
import { ActivePairs } from '../windows/activePairs.ts'
import type { DayFacts, WindowReads } from '../windows/windowReads.ts'
import { factColumn as F, lookWork, TrendingFacts } from './trendingFacts.ts'

/** Pairs that all traded in block 7, whose makers are as many as their row says. */
function create(pairRows: readonly number[]) {
  const active = new ActivePairs(new UndoLog())
  const pair = new Float64Array(100)
  pair[P.tradedBlock] = 7
  pair[P.flags] = pairFlag.mayPrice
  const state = { pairs: { page: () => pair, at: () => 0 }, windows: { active } }
  const reads = {
    day: (pairRow: number, _: number, to: DayFacts) =>
      Object.assign(to, { organicUsd: 1, makers: pairRow, changePercent: 0, changesAtS: 1_000 }),
    slotsOf: () => 0,
  }
  const facts = new TrendingFacts(state as unknown as MarketState, reads as unknown as WindowReads)
  for (const pairRow of pairRows) active.add(pairRow)
  return {
    active,
    facts,
    /** The makers that count, and whether they had to be read. */
    look(row: number) {
      const isRead = facts.refresh(row, 500) > lookWork
      return { makers: facts.data[facts.at(row) + F.makers], isRead }
    },
  }
}

test('default: a pair is read once, until something of it changes', () => {
  const { facts, look } = create([11, 12])
  facts.startPass()
  expect(look(2)).toEqual({ makers: 12, isRead: true })
  expect(look(1)).toEqual({ makers: 11, isRead: true })
  facts.startPass()
  expect(look(2)).toEqual({ makers: 12, isRead: false })
  facts.clear()
  facts.startPass()
  expect(look(2)).toEqual({ makers: 12, isRead: true })
})

test('behavior: what is known of a pair goes with it to the row of one that has left', () => {
  const { active, facts, look } = create([11, 12, 13])
  facts.startPass()
  for (const row of [3, 2, 1]) look(row)
  active.remove(1)
  active.add(14)
  facts.startPass()
  expect(look(3)).toEqual({ makers: 14, isRead: true })
  expect(look(2)).toEqual({ makers: 12, isRead: false })
  expect(look(1)).toEqual({ makers: 13, isRead: false })
})

test('behavior: a pair that moves while it is ranked counts once', () => {
  const { active, facts, look } = create([11, 12, 13])
  facts.startPass()
  expect(look(3).makers).toBe(13)
  active.remove(1)
  expect(look(2).makers).toBe(12)
  expect(look(1).makers).toBe(0)
})

test('edge: so does one that leaves and is back before the ranking ends', () => {
  const { active, facts, look } = create([11, 12, 13, 14])
  facts.startPass()
  expect(look(4).makers).toBe(14)
  active.remove(4)
  active.remove(3)
  active.add(14)
  expect(look(3).makers).toBe(0)
  facts.startPass()
  expect(look(3)).toEqual({ makers: 14, isRead: true })
})

test('behavior: what is kept grows with the pairs that trade, not with those that are known', () => {
  const { facts, look } = create([5_000_000, 1, 4_000_000])
  facts.startPass()
  for (const row of [3, 2, 1]) look(row)
  expect(facts.data.length).toBeLessThan(100)
})
