import { expect, test } from 'vitest'
import { creditPeriodAt, dayAt, dayStartMs } from '../plan.ts'

test('default: a credit period is a calendar month, UTC', () => {
  const startMs = Date.UTC(2024, 1, 1)
  const endMs = Date.UTC(2024, 2, 1)
  const number = 2024 * 12 + 1
  for (const timeMs of [startMs, Date.UTC(2024, 1, 29, 12), endMs - 1])
    expect(creditPeriodAt(timeMs)).toEqual({ number, startMs, endMs })
  expect(creditPeriodAt(endMs).number).toBe(number + 1)
})

test('behavior: the period after December is January', () => {
  const { number, endMs } = creditPeriodAt(Date.UTC(2025, 11, 31))
  expect(creditPeriodAt(endMs)).toMatchObject({ number: number + 1, startMs: Date.UTC(2026, 0) })
})

test('behavior: days begin at midnight UTC', () => {
  expect(dayAt(0)).toBe(0)
  expect(dayAt(86_399_999)).toBe(0)
  expect(dayAt(86_400_000)).toBe(1)
  expect(dayStartMs(dayAt(Date.UTC(2025, 4, 6, 7, 8)))).toBe(Date.UTC(2025, 4, 6))
})
