import { expect, test } from 'vitest'
import { createOutputBuffers } from './exchange.ts'

test('default: what is given back is used again, and nothing else', () => {
  const outputs = createOutputBuffers()
  const first = outputs.take(100)!
  const second = outputs.take(100)!
  expect(second).not.toBe(first)
  outputs.giveBack(first)
  expect(outputs.take(100)).toBe(first)
  expect(outputs.take(100)).not.toBe(second)
})

test('behavior: each size has room, and a huge one is not held', () => {
  const outputs = createOutputBuffers()
  for (const sizeBytes of [0, 1, 8_192, 8_193, 131_072, 200_000, 2_000_000])
    expect(outputs.take(sizeBytes)!.length).toBeGreaterThanOrEqual(sizeBytes)
  expect(outputs.take(10_000_000)).toBe(null)
})

test('behavior: only so many are kept', () => {
  const outputs = createOutputBuffers()
  const taken = new Set(Array.from({ length: 40 }, () => outputs.take(2_000_000)!))
  for (const buffer of taken) outputs.giveBack(buffer)
  let kept = 0
  while (taken.has(outputs.take(2_000_000)!)) kept += 1
  expect(kept).toBeGreaterThan(0)
  expect(kept).toBeLessThan(taken.size)
})
