import { expect, test } from 'vitest'
import { createRateLimit } from './rateLimit.ts'

test('default: a burst is free, then calls are spread', () => {
  const bucket = createRateLimit({ perSecond: 10 })
  expect(bucket.take(10, 0)).toBe(0)
  expect(bucket.take(1, 0)).toBe(100)
  expect(bucket.take(1, 0)).toBe(200)
  expect(bucket.take(1, 300)).toBe(0)
})

test('args: burst', () => {
  const bucket = createRateLimit({ perSecond: 10, burst: 2 })
  expect(bucket.take(2, 0)).toBe(0)
  expect(bucket.waitMs(1, 0)).toBe(100)
  // A long wait saves no more tokens than the burst.
  expect(bucket.take(3, 60_000)).toBe(100)
})

test('behavior: a batch over the burst is let through after its time', () => {
  const bucket = createRateLimit({ perSecond: 10 })
  expect(bucket.take(50, 0)).toBe(4_000)
})

test('behavior: no more than the rate over a long time', () => {
  const bucket = createRateLimit({ perSecond: 7 })
  let nowMs = 0
  for (let call = 0; call < 700; call += 1) nowMs += bucket.take(1, nowMs)
  expect(nowMs).toBeGreaterThanOrEqual(99_000)
})

test('behavior: drained, and a clock that goes back', () => {
  const bucket = createRateLimit({ perSecond: 10 })
  bucket.drain(1_000)
  expect(bucket.take(1, 1_000)).toBe(100)
  expect(bucket.take(1, 0)).toBe(200)
})

test('behavior: what was given back can be taken again, and never more than the burst', () => {
  const bucket = createRateLimit({ perSecond: 10 })
  expect(bucket.take(30, 0)).toBe(2_000)
  bucket.giveBack(20, 0)
  expect(bucket.waitMs(5, 0)).toBe(500)
  expect(bucket.take(1, 0)).toBe(100)
  bucket.giveBack(100, 0)
  expect(bucket.take(11, 0)).toBe(100)
})

test('args: parent, whose tokens are taken, given back and drained, too', () => {
  const parent = createRateLimit({ perSecond: 10 })
  const child = createRateLimit({ perSecond: 5, parent })
  expect(child.take(5, 0)).toBe(0)
  expect(parent.waitMs(6, 0)).toBe(100)
  parent.take(5, 0)
  child.giveBack(2, 0)
  expect(child.waitMs(2, 0)).toBe(0)
  parent.take(2, 0)
  // The child also needs two of its own tokens.
  expect(child.take(2, 0)).toBe(200)
  child.drain(1_000)
  expect(parent.waitMs(1, 1_000)).toBe(100)
})
