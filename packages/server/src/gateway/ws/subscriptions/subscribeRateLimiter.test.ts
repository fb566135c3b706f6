import { expect, test } from 'vitest'
import { SubscribeRateLimiter } from './subscriptionLimits.ts'

const limits = { keyItemsBurst: 100, keyItemsPerS: 10, pauseMsMax: 20_000 }

test('default: each key may subscribe to a burst at once, then at its rate', () => {
  const pace = new SubscribeRateLimiter(limits)
  expect(pace.recordItems(1, 100, 0)).toBe(0)
  expect(pace.recordItems(1, 10, 0)).toBe(1_000)
  expect(pace.recordItems(2, 50, 0)).toBe(0)
  expect(pace.recordItems(1, 10, 1_000)).toBe(1_000)
  // The allowance of an idle key refills.
  expect(pace.recordItems(1, 100, 12_000)).toBe(0)
})

test('behavior: the pause is capped, even if the clock is set back', () => {
  const pace = new SubscribeRateLimiter(limits)
  expect(pace.recordItems(1, 1_000_000, 1e9)).toBe(20_000)
  expect(pace.recordItems(1, 1, 1e9 + 25_000)).toBe(0)
  expect(pace.recordItems(1, 1, 0)).toBe(20_000)
  expect(pace.recordItems(1, 1, 30_100)).toBe(0)
})

test('behavior: idle keys are removed', () => {
  const pace = new SubscribeRateLimiter(limits)
  for (let keyId = 0; keyId < 5_000; keyId += 1) pace.recordItems(keyId, 1, keyId * 1_000)
  expect(pace.size).toBeLessThan(1_100)
})
