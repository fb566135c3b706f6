import { expect, test } from 'vitest'
import { gcNeutralDoubles } from './gcNeutralBuffer.ts'

test('default: doubles start as 0', () => {
  expect(Array.from(gcNeutralDoubles(3))).toEqual([0, 0, 0])
})

test('behavior: what V8 counts does not grow by it', () => {
  // Small, but distinguishable from the process's other memory. Nothing else runs in it until the
  // test ends.
  const sizeBytes = 2 ** 24
  const before = process.memoryUsage().external
  const doubles = gcNeutralDoubles(sizeBytes / 8)
  expect(process.memoryUsage().external - before).toBeLessThan(sizeBytes / 2)
  expect(doubles.byteLength).toBe(sizeBytes)
})
