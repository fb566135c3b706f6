import fc from 'fast-check'
import { expect, test } from 'vitest'
import { requestRateOf, TokenBucket } from './tokenBucket.ts'

const rates = fc.constantFrom(0.1, 0.5, 1, 1.7, 3, 5, 20, 1_000)
const steps = fc.array(
  fc.tuple(fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: 1, max: 30 })),
  {
    maxLength: 60,
  },
)

test('behavior: any period admits at most a full bucket plus what was refilled', () => {
  fc.assert(
    fc.property(rates, steps, (requestsPerS, stepList) => {
      const rate = requestRateOf(requestsPerS)
      const bucket = new TokenBucket()
      let nowMs = 1_763_000_000_000
      const admittedMs: number[] = []
      for (const [passedMs, tries] of stepList) {
        nowMs += passedMs
        for (let i = 0; i < tries; i += 1) {
          const left = bucket.tokensLeft(rate, nowMs)
          expect(left).toBeGreaterThanOrEqual(0)
          expect(left).toBeLessThanOrEqual(rate.burst)
          const isFree = bucket.waitMs(rate, nowMs) === 0
          expect(isFree).toBe(left > 0)
          if (!isFree) continue
          bucket.take(rate, nowMs)
          admittedMs.push(nowMs)
        }
      }
      let overMax = 0
      for (let from = 0; from < admittedMs.length; from += 1)
        for (let to = from; to < admittedMs.length; to += 1) {
          const stretchS = (admittedMs[to]! - admittedMs[from]!) / 1_000
          overMax = Math.max(overMax, to - from + 1 - rate.burst - requestsPerS * stretchS)
        }
      expect(overMax).toBeLessThan(1e-6)
    }),
  )
})

test('behavior: a request is admitted exactly after the reported wait', () => {
  fc.assert(
    fc.property(rates, steps, (requestsPerS, stepList) => {
      const rate = requestRateOf(requestsPerS)
      const bucket = new TokenBucket()
      let nowMs = 0
      for (const [passedMs] of stepList) {
        nowMs += passedMs
        const waitMs = bucket.waitMs(rate, nowMs)
        if (waitMs > 1) {
          expect(bucket.waitMs(rate, nowMs + waitMs - 1)).toBeGreaterThan(0)
          nowMs += waitMs - 1
        }
        if (bucket.waitMs(rate, nowMs) > 0) nowMs += Math.ceil(bucket.waitMs(rate, nowMs))
        expect(bucket.waitMs(rate, nowMs)).toBe(0)
        bucket.take(rate, nowMs)
      }
    }),
  )
})
