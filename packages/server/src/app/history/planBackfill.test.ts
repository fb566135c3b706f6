import { expect, test } from 'vitest'
import { type BackfillPlanInput, parseHistoryStart, planBackfill } from './planBackfill.ts'

const whole: BackfillPlanInput = {
  wantedNumber: null,
  firstNumber: 1_000,
  headNumber: 2_000,
  firstBlocks: 100,
  hasMissedPools: false,
  hasUntrueBlocks: false,
}

const planOf = (facts: Partial<BackfillPlanInput>) => planBackfill({ ...whole, ...facts })

test('default: plans nothing for a complete history', () => {
  expect(planOf({})).toBeNull()
  expect(planOf({ wantedNumber: 1_000 })).toBeNull()
  expect(planOf({ wantedNumber: 1_500 })).toBeNull()
})

test('behavior: plans a near start in one backfill', () => {
  expect(planOf({ wantedNumber: 400 })).toEqual({
    reason: 'start',
    fromNumber: 400,
    wantedNumber: 400,
  })
})

test('behavior: plans growing backfills, newest blocks first', () => {
  const headNumber = 1_000_000
  const froms: number[] = []
  for (let firstNumber = headNumber; firstNumber > 0; ) {
    const plan = planOf({ wantedNumber: 0, firstNumber, headNumber })!
    expect(plan).toMatchObject({ reason: 'start', wantedNumber: 0 })
    expect(plan.fromNumber).toBeLessThan(firstNumber)
    froms.push(headNumber - plan.fromNumber)
    firstNumber = plan.fromNumber
  }
  expect(froms).toEqual([100, 800, 6_400, 51_200, 409_600, 1_000_000])
})

test('behavior: re-reads from the start after missed pools or untrue blocks', () => {
  const again = { fromNumber: 1_000, wantedNumber: 1_000 }
  expect(planOf({ hasMissedPools: true })).toEqual({ reason: 'pools', ...again })
  expect(planOf({ hasUntrueBlocks: true })).toEqual({ reason: 'doubts', ...again })
  expect(planOf({ hasMissedPools: true, wantedNumber: 900 })).toMatchObject({ reason: 'start' })
})

test('behavior: accepts a block, a date or a number of days', () => {
  const nowS = 1_800_000_000
  expect(parseHistoryStart(17, nowS)).toEqual({ number: 17 })
  expect(parseHistoryStart('30d', nowS)).toEqual({ timeS: nowS - 30 * 86_400 })
  expect(parseHistoryStart('2026-01-31', nowS)).toEqual({ timeS: 1_769_817_600 })
  expect(parseHistoryStart('2026-01-31T12:00Z', nowS)).toEqual({ timeS: 1_769_860_800 })
})
