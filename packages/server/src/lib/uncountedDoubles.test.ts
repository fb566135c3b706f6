import { expect, test } from 'vitest'
import { uncountedDoubles } from './uncountedDoubles.ts'

test('default', () => {
  expect(Array.from(uncountedDoubles(3))).toEqual([0, 0, 0])
})

test('behavior: what V8 counts does not grow by it', () => {
  // As small as can be told from what else a process has. Nothing else in it runs until the test ends.
  const sizeBytes = 2 ** 24
  const before = process.memoryUsage().external
  const doubles = uncountedDoubles(sizeBytes / 8)
  expect(process.memoryUsage().external - before).toBeLessThan(sizeBytes / 2)
  expect(doubles.byteLength).toBe(sizeBytes)
})
