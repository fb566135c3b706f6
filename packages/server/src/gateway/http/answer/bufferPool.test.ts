import { expect, test } from 'vitest'
import { createBufferPool } from './exchange.ts'

test('default: only returned buffers are reused', () => {
  const outputs = createBufferPool()
  const first = outputs.take(100)!
  const second = outputs.take(100)!
  expect(second).not.toBe(first)
  outputs.release(first)
  expect(outputs.take(100)).toBe(first)
  expect(outputs.take(100)).not.toBe(second)
})

test('behavior: every usual size gets a buffer, a huge size gets none', () => {
  const outputs = createBufferPool()
  for (const sizeBytes of [0, 1, 8_192, 8_193, 131_072, 200_000, 2_000_000])
    expect(outputs.take(sizeBytes)!.length).toBeGreaterThanOrEqual(sizeBytes)
  expect(outputs.take(10_000_000)).toBe(null)
})

test('behavior: the number of kept buffers is limited', () => {
  const outputs = createBufferPool()
  const taken = new Set(Array.from({ length: 40 }, () => outputs.take(2_000_000)!))
  for (const buffer of taken) outputs.release(buffer)
  let kept = 0
  while (taken.has(outputs.take(2_000_000)!)) kept += 1
  expect(kept).toBeGreaterThan(0)
  expect(kept).toBeLessThan(taken.size)
})
