import { expect, test } from 'vitest'
import { dayColumn as D } from '../tables/pairTable.ts'
import { UndoLog } from '../tables/undoLog.ts'
import { ActivePairs } from './activePairs.ts'

function create(undo: UndoLog) {
  const active = new ActivePairs(undo)
  for (const pair of [11, 12, 13]) {
    const row = active.add(pair)
    active.page(row)[active.at(row) + D.makersCount] = pair * 10
  }
  return active
}

const dayOf = (active: ActivePairs, row: number) => [
  active.pairOf(row),
  active.page(row)[active.at(row) + D.makersCount],
]
const all = (active: ActivePairs) =>
  Array.from({ length: active.count }, (_, index) => dayOf(active, index + 1))

test('default: the last row takes the place of a removed one, with its data', () => {
  const active = create(new UndoLog())
  expect(active.remove(1)).toBe(13)
  expect(all(active)).toEqual([
    [13, 130],
    [12, 120],
  ])
  expect(active.remove(2)).toBe(0)
  const row = active.add(14)
  expect(dayOf(active, row)).toEqual([14, 0])
})

test('behavior: a pair that did not trade has an empty day', () => {
  const active = create(new UndoLog())
  expect(active.page(0)[active.at(0) + D.sums]).toBe(0)
  expect(active.page(0)[active.at(0) + D.makersHorizons]).toBe(0)
})

test('behavior: a revert restores all rows', () => {
  const undo = new UndoLog()
  const active = create(undo)
  const before = all(active)
  const record = undo.begin()
  active.remove(1)
  active.remove(1)
  active.add(15)
  undo.end()
  undo.revert(record)
  expect(all(active)).toEqual(before)
})
