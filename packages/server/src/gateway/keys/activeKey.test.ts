import { expect, test } from 'vitest'
import { testPlans } from '../../../../../test/support/memoryKeyStore.ts'
import type { RequestError } from '../ground/errors.ts'
import { ActiveKey, quotaHeaders, rateLimitPolicy, unlimitedQuota } from './activeKey.ts'
import { creditPeriodAt } from './plan.ts'
import { Account } from './usage/account.ts'
import { createUsageBook } from './usage/usageBook.ts'

const startMs = Date.UTC(2026, 0, 31, 23, 59, 58)
const januaryS = 31 * 86_400

function holderOf(planName: string, storedCost = 0) {
  const clock = { ms: startMs, nowMs: () => clock.ms }
  const book = createUsageBook()
  const refused: string[] = []
  const holder = new ActiveKey({
    key: {
      id: 1,
      accountId: 1,
      name: '',
      plan: planName,
      createdAtS: 1,
      expiresAtS: null,
      revokedAtS: null,
    },
    plan: testPlans.get(planName)!,
    account: new Account(1, { storedCost, nowMs: clock.ms }),
    book,
    clock,
    onRefused: (code) => refused.push(code),
  })
  return { holder, clock, book, refused }
}

function refusalOf(work: () => void): RequestError {
  try {
    work()
  } catch (error) {
    return error as RequestError
  }
  throw new Error('It was not refused.')
}

/** Returns the quota headers by name. */
function headersOf(holder: ActiveKey, cost: number): Record<string, string | undefined> {
  const fields = quotaHeaders(holder, cost)
  return Object.fromEntries(
    fields.flatMap((name, at) => (at % 2 === 0 ? [[name, fields[at + 1]]] : [])),
  )
}

test('default: headers have the cost and the remaining quota', () => {
  const { holder } = holderOf('five')
  void holder.admit(10, 'op')
  expect(headersOf(holder, 10)).toEqual({
    'x-cu-cost': '10',
    'x-cu-remaining': '90',
    'ratelimit-policy': `"rate";q=5;w=1, "credits";q=100;w=${januaryS}`,
    ratelimit: '"rate";r=4;t=1, "credits";r=90;t=2',
  })
})

test('behavior: headers of an unlimited plan have the largest integer', () => {
  const { holder } = holderOf('unlimited')
  void holder.admit(10, 'op')
  expect(headersOf(holder, 10)).toEqual({
    'x-cu-cost': '10',
    'x-cu-remaining': `${unlimitedQuota}`,
    'ratelimit-policy': `"rate";q=${unlimitedQuota};w=1, "credits";q=${unlimitedQuota};w=${januaryS}`,
    ratelimit: `"rate";r=${unlimitedQuota};t=0, "credits";r=${unlimitedQuota};t=2`,
  })
  expect(holder.creditsLeft()).toBe(null)
  // Integers of structured header fields have at most 15 digits.
  expect(`${unlimitedQuota}`).toHaveLength(15)
})

test.each([
  [0.5, '"rate";q=1;w=2'],
  [1, '"rate";q=1;w=1'],
  [1.5, '"rate";q=2;w=2'],
  [20, '"rate";q=20;w=1'],
])('args: the RateLimit-Policy of %s requests per second', (requestsPerS, text) => {
  const plan = { ...testPlans.get('credits')!, requestsPerS }
  expect(rateLimitPolicy(plan, januaryS)).toBe(`${text}, "credits";q=100;w=${januaryS}`)
})

test('behavior: headers follow a change of the plan', () => {
  const { holder } = holderOf('five')
  expect(headersOf(holder, 0)['ratelimit-policy']).toContain('"rate";q=5;w=1')
  holder.update(holder.key, testPlans.get('free')!)
  expect(headersOf(holder, 0)['ratelimit-policy']).toContain('"rate";q=1;w=1')
})

test('error: a request over the rate limit is refused and not charged', () => {
  const { holder, clock, refused } = holderOf('free')
  void holder.admit(5, 'op')
  expect(refusalOf(() => holder.admit(5, 'op'))).toMatchObject({
    wireCode: 'rate_limited',
    retryAfterS: 1,
  })
  expect(refused).toEqual(['rate_limited'])
  expect(holder.creditsLeft()).toBe(995)
  clock.ms += 1_000
  void holder.admit(5, 'op')
  expect(holder.creditsLeft()).toBe(990)
})

test('error: without credits, requests are refused until the period ends', () => {
  const { holder, clock, refused } = holderOf('five', 95)
  void holder.admit(5, 'op')
  const error = refusalOf(() => holder.admit(1, 'op'))
  expect(error).toMatchObject({ wireCode: 'credits_exhausted', retryAfterS: 2 })
  expect(refused).toEqual(['credits_exhausted'])
  // The refusal took no request from the bucket either.
  expect(holder.quota().requestsLeft).toBe(4)
  // Operations without cost are still admitted.
  void holder.admit(0, 'free of charge')
  clock.ms += 1_999
  expect(refusalOf(() => holder.admit(1, 'op')).retryAfterS).toBe(1)
  clock.ms += 1
  void holder.admit(1, 'op')
  expect(holder.creditsLeft()).toBe(99)
  expect(headersOf(holder, 1)['ratelimit-policy']).toContain(`w=${28 * 86_400}`)
})

test('behavior: a refund returns the cost and counts a failure', () => {
  const { holder, book } = holderOf('five')
  void holder.admit(10, 'op')
  void holder.admit(10, 'op')
  holder.refund(10, 'op')
  expect(holder.creditsLeft()).toBe(90)
  // The refund does not give back the request itself.
  expect(holder.quota().requestsLeft).toBe(3)
  const sent = book.takeBatch()!
  expect(sent.counts).toMatchObject([{ requestCount: 2, failedCount: 1, cost: 10 }])
  book.markWritten(sent)
  holder.refund(10, 'op')
  expect(holder.creditsLeft()).toBe(100)
  expect(book.takeBatch()!.counts).toMatchObject([{ requestCount: 0, failedCount: 1, cost: -10 }])
})

test('behavior: a refund after midnight goes to the day and the period of the request', () => {
  const { holder, clock, book } = holderOf('credits')
  void holder.admit(10, 'op')
  clock.ms = Date.UTC(2026, 1, 1)
  void holder.admit(3, 'op')
  holder.refund(10, 'op')
  expect(holder.creditsLeft()).toBe(97)
  const january = creditPeriodAt(startMs).number
  expect(
    book.takeBatch()!.counts.map(({ period, failedCount, cost }) => [period, failedCount, cost]),
  ).toEqual([
    [january, 1, 0],
    [january + 1, 0, 3],
  ])
})

test('behavior: usage of an ended period changes nothing in the next', () => {
  const { holder, clock, book } = holderOf('credits')
  void holder.admit(10, 'op')
  const sent = book.takeBatch()!
  clock.ms = Date.UTC(2026, 1, 1)
  expect(holder.creditsLeft()).toBe(100)
  book.markWritten(sent)
  expect(holder.creditsLeft()).toBe(100)
})
