import { expect, test } from 'vitest'
import { createRestartBudget, createSerialQueue } from './localChain.ts'

test('default: a serial queue runs tasks in order, and continues after a failure', async () => {
  const seen: unknown[] = []
  const line = createSerialQueue((error) => seen.push(error))
  expect(line.isIdle()).toBe(true)
  line.add(async () => {
    await Promise.resolve()
    seen.push('first')
  })
  line.add(() => Promise.reject('failed'))
  line.add(async () => void seen.push('last'))
  expect(line.isIdle()).toBe(false)
  expect(seen).toEqual([])
  await line.idle()
  expect(seen).toEqual(['first', 'failed', 'last'])
  expect(line.isIdle()).toBe(true)
})

test('default: a restart budget allows restarts at once, then after growing waits, then never', () => {
  const budget = createRestartBudget(8, 600_000)
  const waits = Array.from({ length: 10 }, (_, i) => budget.take(i * 1_000))
  expect(waits).toEqual([0, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, null, null])
})

test('behavior: a restart budget ignores restarts before the period', () => {
  const budget = createRestartBudget(2, 1_000)
  expect([0, 600, 999, 1_000, 1_001, 1_600].map(budget.take)).toEqual([
    ...[0, 1_000, null, 1_000, null, 1_000],
  ])
  expect([10_000, 20_000, 30_000].map(budget.take)).toEqual([0, 0, 0])
})

test('args: a restart budget with restartsMax 0', () => {
  expect(createRestartBudget(0, 1_000).take(0)).toBe(null)
})
