import { expect, test } from 'vitest'
import { requestRateOf, TokenBucket } from './tokenBucket.ts'

const five = requestRateOf(5)

function takeAll(bucket: TokenBucket, rate = five, nowMs = 0): number {
  let count = 0
  for (; bucket.waitMs(rate, nowMs) === 0; count += 1) bucket.take(rate, nowMs)
  return count
}

test('default: a full bucket admits its burst, then one request per interval', () => {
  const bucket = new TokenBucket()
  expect(bucket.tokensLeft(five, 1_000)).toBe(5)
  expect(takeAll(bucket, five, 1_000)).toBe(5)
  expect(bucket.tokensLeft(five, 1_000)).toBe(0)
  expect(bucket.waitMs(five, 1_000)).toBeCloseTo(200)
  expect(bucket.waitMs(five, 1_150)).toBeCloseTo(50)
  expect(takeAll(bucket, five, 1_200)).toBe(1)
  expect(bucket.fullInMs(five, 1_200)).toBeCloseTo(1_000)
  expect(takeAll(bucket, five, 100_000)).toBe(5)
})

test.each([
  [0.5, { burst: 1, intervalMs: 2_000 }],
  [1, { burst: 1, intervalMs: 1_000 }],
  [1.5, { burst: 2, intervalMs: 1_000 / 1.5 }],
  [20, { burst: 20, intervalMs: 50 }],
])('args: the rate of %s requests per second', (requestsPerS, rate) => {
  expect(requestRateOf(requestsPerS)).toEqual(rate)
  expect(takeAll(new TokenBucket(), rate)).toBe(rate.burst)
})

test('behavior: thirds of a second do not cost a request', () => {
  for (const requestsPerS of [3, 7, 11, 999_983]) {
    const rate = requestRateOf(requestsPerS)
    const bucket = new TokenBucket()
    expect(takeAll(bucket, rate, 1_763_000_000_000)).toBe(requestsPerS)
    expect(takeAll(bucket, rate, 1_763_000_001_000)).toBe(requestsPerS)
  }
})

test('behavior: a clock that is set back refills nothing and blocks no requests', () => {
  const bucket = new TokenBucket()
  expect(takeAll(bucket, five, 1_000_000)).toBe(5)
  expect(takeAll(bucket, five, 0)).toBe(0)
  expect(takeAll(bucket, five, 200)).toBe(1)
})

test('behavior: a slower plan does not keep the larger bucket, a faster plan not the debt', () => {
  const bucket = new TokenBucket()
  const slow = requestRateOf(1)
  expect(takeAll(bucket, slow, 0)).toBe(1)
  expect(bucket.waitMs(five, 0)).toBeCloseTo(200)
  expect(takeAll(bucket, five, 1_000)).toBe(5)
  expect(bucket.tokensLeft(slow, 1_000)).toBe(0)
  expect(takeAll(bucket, slow, 2_000)).toBe(1)
})
