import { expect, test } from 'vitest'
import { testPlans } from '../../../../../../test/support/memoryKeyStore.ts'
import { usageBody } from './usage.ts'

const nowMs = Date.UTC(2026, 1, 3, 4)
const key = { id: 7, name: 'app', expiresAtS: null }
const day = Math.floor(nowMs / 86_400_000)

test('default: usage is summed by operation and by day', () => {
  const body = usageBody({
    key,
    plan: testPlans.get('five')!,
    creditsUsed: 40,
    requestsLeft: 4,
    usages: [
      { keyId: 7, day, operation: 'b', requestCount: 2, failedCount: 1, cost: 10 },
      { keyId: 7, day: day - 1, operation: 'a', requestCount: 1, failedCount: 0, cost: 5 },
      { keyId: 8, day, operation: 'b', requestCount: 1, failedCount: 0, cost: 20 },
      { keyId: 7, day, operation: 'a', requestCount: 1, failedCount: 0, cost: 5 },
    ],
    nowMs,
  })
  const a = { operation: 'a', requests: 1, failed: 0, credits: 5 }
  const b = { operation: 'b', requests: 3, failed: 1, credits: 30 }
  expect(body).toEqual({
    key: { id: 7, name: 'app', expires_at: null },
    plan: 'five',
    rate_limit: { requests_per_s: 5, burst: 5, remaining: 4 },
    credits: { limit: 100, used: 40, remaining: 60 },
    period: { start: Date.UTC(2026, 1) / 1_000, end: Date.UTC(2026, 2) / 1_000 },
    total: { requests: 5, failed: 1, credits: 40 },
    operations: [b, { ...a, requests: 2, credits: 10 }],
    days: [
      { date: '2026-02-02', requests: 1, failed: 0, credits: 5, operations: [a] },
      { date: '2026-02-03', requests: 4, failed: 1, credits: 35, operations: [b, a] },
    ],
  })
})

test('behavior: an unused key without limits has empty usage', () => {
  const plan = testPlans.get('unlimited')!
  expect(
    usageBody({ key, plan, creditsUsed: 0, requestsLeft: null, usages: [], nowMs }),
  ).toMatchObject({
    rate_limit: { requests_per_s: null, burst: null, remaining: null },
    credits: { limit: null, used: 0, remaining: null },
    total: { requests: 0, failed: 0, credits: 0 },
    operations: [],
    days: [],
  })
})

test('behavior: after a switch to a smaller plan, remaining credits are 0 and not negative', () => {
  const plan = testPlans.get('five')!
  const state = { key, plan, creditsUsed: 500, requestsLeft: 0, usages: [], nowMs }
  expect(usageBody(state).credits).toEqual({ limit: 100, used: 500, remaining: 0 })
})
