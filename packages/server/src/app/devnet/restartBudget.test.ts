import { expect, test } from 'vitest'
import { createRestartBudget } from './restartBudget.ts'

test('default: restarts at once, then after growing waits, then never', () => {
  const budget = createRestartBudget({ restartsMax: 8, periodMs: 600_000 })
  const waits = Array.from({ length: 10 }, (_, i) => budget.take(i * 1_000))
  expect(waits).toEqual([0, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, null, null])
})

test('behavior: ignores restarts before the period', () => {
  const budget = createRestartBudget({ restartsMax: 2, periodMs: 1_000 })
  expect([0, 600, 999, 1_000, 1_001, 1_600].map(budget.take)).toEqual([
    ...[0, 1_000, null, 1_000, null, 1_000],
  ])
  expect([10_000, 20_000, 30_000].map(budget.take)).toEqual([0, 0, 0])
})

test('args: restartsMax 0', () => {
  expect(createRestartBudget({ restartsMax: 0, periodMs: 1_000 }).take(0)).toBe(null)
})
