import { afterEach, expect, test, vi } from 'vitest'
import { createMemoryKeyStore, testPlans } from '../../../../../test/support/memoryKeyStore.ts'
import { pollOptions } from '../../../../../test/support/until.ts'
import { createLogger } from '../../lib/logger.ts'
import { createMetrics } from '../../lib/metrics.ts'
import type { RequestError } from '../ground/errors.ts'
import { createKeyAccess, type KeyAccessLimits, type RunningKeyAccess } from './createKeyAccess.ts'
import type { Caller } from './keyAccess.ts'
import { creditPeriodAt } from './plan.ts'

const open: RunningKeyAccess[] = []

afterEach(async () => {
  for (const access of open.splice(0)) await access.close()
})

function accessOf(
  store = createMemoryKeyStore(),
  changes: Partial<KeyAccessLimits> = {},
  isSeeded?: () => boolean,
  { isShared = false, plans = testPlans } = {},
) {
  const clock = { ms: Date.UTC(2026, 0, 15), nowMs: () => clock.ms }
  const metrics = createMetrics()
  const access = createKeyAccess({
    store,
    plans,
    clock,
    logger: createLogger('silent'),
    metrics,
    isSeeded,
    isShared,
    limits: {
      keysMax: 10,
      trustMs: 5_000,
      lookupMsMax: 1_000,
      lookupsMax: 10,
      flushMs: 3_600_000,
      ...changes,
    },
  })
  open.push(access)
  return { access, store, clock, metrics }
}

async function refusalOf(work: () => unknown): Promise<RequestError> {
  try {
    await work()
  } catch (error) {
    return error as RequestError
  }
  throw new Error('It was not refused.')
}

const codeOf = async (work: () => unknown) => (await refusalOf(work)).wireCode

test('default: asks the store once, then answers without a promise', async () => {
  const { access, store } = accessOf()
  store.put('one', { plan: 'five' })
  const first = access.identify('one')
  expect(first).toBeInstanceOf(Promise)
  const holder = await first
  expect(holder).toMatchObject({ key: { id: 1, accountId: 1 }, plan: { name: 'five' } })
  expect(holder.key).not.toHaveProperty('hash')
  expect(access.identify('one')).toBe(holder)
  expect(store.calls.findKeysByHash).toBe(1)
})

test('behavior: requests at the same time share one statement', async () => {
  const { access, store } = accessOf()
  store.put('one')
  store.put('two')
  const texts = ['one', 'one', 'two', 'two', 'one']
  const holders = await Promise.all(texts.map((text) => access.identify(text)))
  expect(new Set(holders).size).toBe(2)
  // The first lookup starts at once, and all others share a second statement.
  expect(store.calls.findKeysByHash).toBeLessThanOrEqual(2)
})

test('error: missing, unknown, revoked and expired keys are refused', async () => {
  const { access, store, clock } = accessOf()
  expect(() => access.identify(undefined)).toThrow('X-API-KEY')
  expect(() => access.identify('')).toThrow('X-API-KEY')
  expect(await codeOf(() => access.identify('x'.repeat(513)))).toBe('invalid_key')
  expect(store.calls.findKeysByHash).toBe(undefined)
  expect(await codeOf(() => access.identify('guess'))).toBe('invalid_key')
  store.put('one', { revokedAtS: 5 })
  expect(await refusalOf(() => access.identify('one'))).toMatchObject({
    wireCode: 'invalid_key',
    shortMessage: 'This API key was revoked.',
  })
  const nowS = clock.ms / 1_000
  store.put('two', { expiresAtS: nowS + 10 })
  const holder = await access.identify('two')
  expect(holder.fault()).toBe(null)
  clock.ms += 10_000
  expect(holder.fault()).toBe('expired_key')
  expect(await codeOf(() => access.identify('two'))).toBe('expired_key')
})

test('behavior: while the service starts, an unknown key gets 503 instead of 401', async () => {
  let isSeeded = false
  const { access, store } = accessOf(undefined, {}, () => isSeeded)
  store.put('known')
  expect((await access.identify('known')).fault()).toBe(null)
  expect(await codeOf(() => access.identify('configured'))).toBe('unavailable')
  store.put('configured')
  isSeeded = true
  expect((await access.identify('configured')).fault()).toBe(null)
  expect(await codeOf(() => access.identify('guess'))).toBe('invalid_key')
})

test('behavior: a flood of guesses is refused from memory and evicts no key', async () => {
  const { access, store } = accessOf()
  store.put('good')
  await access.identify('good')
  for (let i = 0; i < 100; i += 1)
    expect(await codeOf(() => access.identify(`guess ${i}`))).toBe('invalid_key')
  const asked = store.calls.findKeysByHash
  for (let i = 0; i < 100; i += 1)
    expect(() => access.identify('guess 99')).toThrow('not known here')
  await access.identify('good')
  expect(store.calls.findKeysByHash).toBe(asked)
})

test('behavior: the number of waiting lookups is limited', async () => {
  const { access, store } = accessOf(undefined, { lookupsMax: 3 })
  store.put('good')
  const codes = await Promise.all(
    Array.from({ length: 10 }, (_, i) => codeOf(() => access.identify(`guess ${i}`))),
  )
  expect(codes.filter((code) => code === 'unavailable')).toHaveLength(7)
  expect((await access.identify('good')).key.id).toBe(1)
})

test('behavior: a created key works at once, even if it was guessed before', async () => {
  const { access, store } = accessOf()
  expect(await codeOf(() => access.identify('one'))).toBe('invalid_key')
  store.put('one')
  expect((await access.identify('one')).key.id).toBe(1)
})

test('behavior: a key created during its lookup is found', async () => {
  const { access, store } = accessOf()
  const found = access.identify('one')
  store.put('one')
  expect((await found).key.id).toBe(1)
})

test('behavior: a change in the store shows on the same holder', async () => {
  const { access, store } = accessOf()
  store.put('one', { plan: 'free' })
  const holder = await access.identify('one')
  store.put('one', { plan: 'five' })
  await vi.waitFor(() => expect(holder.plan.name).toBe('five'), pollOptions)
  expect(holder.fault()).toBe(null)
  store.put('one', { revokedAtS: 7 })
  await vi.waitFor(() => expect(holder.fault()).toBe('invalid_key'), pollOptions)
  expect(() => access.identify('one')).toThrow('revoked')
  store.put('one', { revokedAtS: null })
  await vi.waitFor(() => expect(holder.fault()).toBe(null), pollOptions)
  store.remove(1)
  await vi.waitFor(() => expect(holder.fault()).toBe('invalid_key'), pollOptions)
})

test('behavior: while changes are not reported, keys are reread at intervals', async () => {
  vi.useFakeTimers()
  try {
    const { access, store, clock } = accessOf()
    store.put('one')
    const holder = await access.identify('one')
    store.setWatched(false)
    expect(await codeOf(() => access.identify('two'))).toBe('invalid_key')
    store.put('one', { revokedAtS: 7 })
    store.put('two')
    expect(holder.fault()).toBe(null)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(holder.fault()).toBe('invalid_key')
    clock.ms += 5_000
    expect((await access.identify('two')).key.id).toBe(2)
    store.put('one', { revokedAtS: null })
    store.setWatched(true)
    await vi.waitFor(() => expect(holder.fault()).toBe(null), pollOptions)
  } finally {
    vi.useRealTimers()
  }
})

test('behavior: while the store fails, known keys work and others get 503', async () => {
  vi.useFakeTimers()
  try {
    const { access, store } = accessOf()
    store.put('one')
    store.put('two')
    const holder = await access.identify('one')
    store.error = new Error('down')
    store.setWatched(false)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(access.identify('one')).toBe(holder)
    expect(await codeOf(() => access.identify('two'))).toBe('unavailable')
    store.error = null
    expect((await access.identify('two')).key.id).toBe(2)
  } finally {
    vi.useRealTimers()
  }
})

test('error: a new key gets 503 while the store does not answer', async () => {
  vi.useFakeTimers()
  try {
    const store = createMemoryKeyStore()
    store.findKeysByHash = () => new Promise(() => {})
    const { access } = accessOf(store, { lookupMsMax: 50 })
    const code = codeOf(() => access.identify('one'))
    await vi.advanceTimersByTimeAsync(50)
    expect(await code).toBe('unavailable')
  } finally {
    vi.useRealTimers()
  }
})

test('behavior: a key with an unconfigured plan gets the free plan', async () => {
  const { access, store } = accessOf()
  store.put('one', { plan: 'gone' })
  expect((await access.identify('one')).plan.name).toBe('free')
})

test('behavior: rotated keys share rate limit and credits', async () => {
  const { access, store } = accessOf()
  store.put('old', { plan: 'five' })
  store.put('new', { plan: 'five', accountId: 1 })
  const [older, newer] = [await access.identify('old'), await access.identify('new')]
  for (let i = 0; i < 5; i += 1) void (i % 2 === 0 ? older : newer).admit(10, 'op')
  expect(newer.creditsLeft()).toBe(50)
  expect(await codeOf(() => newer.admit(10, 'op'))).toBe('rate_limited')
  await access.flush()
  expect(store.counts.map(({ keyId, accountId, cost }) => [keyId, accountId, cost])).toEqual([
    [1, 1, 30],
    [2, 1, 20],
  ])
})

test('behavior: usage is stored once, even if an answer of the store is lost', async () => {
  const { access, store } = accessOf()
  store.put('one', { plan: 'credits' })
  const holder = await access.identify('one')
  void holder.admit(5, 'a')
  void holder.admit(5, 'a')
  void holder.admit(10, 'b')
  store.losesAnswers = true
  expect(await access.flush()).toBe(false)
  void holder.admit(5, 'a')
  expect(await access.flush()).toBe(false)
  expect(holder.creditsLeft()).toBe(75)
  store.losesAnswers = false
  expect(await access.flush()).toBe(true)
  expect(await access.flush()).toBe(true)
  expect(holder.creditsLeft()).toBe(75)
  expect(
    store.counts.map(({ operation, requestCount, cost }) => [operation, requestCount, cost]),
  ).toEqual([
    ['a', 2, 10],
    ['b', 1, 10],
    ['a', 1, 5],
  ])
})

test('behavior: stored usage of earlier runs and other processes counts', async () => {
  const store = createMemoryKeyStore()
  store.put('one', { plan: 'credits' })
  const first = accessOf(store)
  const second = accessOf(store)
  const mine = await first.access.identify('one')
  void mine.admit(30, 'op')
  await first.access.flush()
  const theirs = await second.access.identify('one')
  expect(theirs.creditsLeft()).toBe(70)
  void theirs.admit(50, 'op')
  await second.access.flush()
  void mine.admit(0, 'op')
  await first.access.flush()
  expect(mine.creditsLeft()).toBe(20)
  expect(await codeOf(() => mine.admit(21, 'op'))).toBe('credits_exhausted')
})

/** Sends requests to all holders until each holder refuses. Returns the number admitted. */
async function spendAll(holders: readonly Caller[], cost: number): Promise<number> {
  let admitted = 0
  for (let isAdmitted = true; isAdmitted; ) {
    const asked = holders.map(async (holder) => holder.admit(cost, 'op'))
    const results = await Promise.allSettled(asked)
    isAdmitted = false
    for (const { status } of results) {
      if (status === 'rejected') continue
      admitted += 1
      isAdmitted = true
    }
  }
  return admitted
}

test.each([
  [3, 1_000, 5],
  [3, 1_000, 1],
  [7, 20_000, 5],
  [20, 20_000, 10],
])(
  'behavior: %i processes exceed a plan of %i credits by less than 1 % with requests of %i, and charge none twice',
  async (count, credits, cost) => {
    const store = createMemoryKeyStore()
    store.put('one', { plan: 'shared' })
    const plan = { ...testPlans.get('unlimited')!, name: 'shared', creditsPerPeriod: credits }
    const fleet = Array.from({ length: count }, () =>
      accessOf(store, {}, undefined, {
        isShared: true,
        plans: new Map([...testPlans, ['shared', plan]]),
      }),
    )
    const holders = await Promise.all(fleet.map(async ({ access }) => access.identify('one')))
    for (const { access } of fleet) await access.flush()
    for (const holder of holders) void holder.admit(0, 'op')
    for (const { access } of fleet) await access.flush()
    const admitted = await spendAll(holders, cost)
    expect(admitted * cost).toBeLessThanOrEqual(credits * 1.01)
    expect(admitted * cost).toBeGreaterThan(credits - count * cost - 1)
    for (const { access } of fleet) await access.flush()
    expect(store.counts.reduce((sum, each) => sum + each.cost, 0)).toBe(admitted * cost)
    expect(store.counts.reduce((sum, each) => sum + each.requestCount, 0)).toBe(admitted + count)
  },
)

test('error: without the store at most 1 % of the credits are admitted, and refusals are free', async () => {
  const store = createMemoryKeyStore()
  store.put('one', { plan: 'five' })
  const fleet = [0, 1].map(() => accessOf(store, {}, undefined, { isShared: true }))
  const [holder] = await Promise.all(fleet.map(async ({ access }) => access.identify('one')))
  for (const { access } of [...fleet, fleet[0]!]) {
    void holder!.admit(0, 'op')
    await access.flush()
  }
  store.error = new Error('down')
  expect(await codeOf(() => holder!.admit(1, 'op')!)).toBe('unavailable')
  store.error = null
  expect(holder!.creditsLeft()).toBe(100)
})

test('behavior: while the store fails usage waits in memory and nothing blocks', async () => {
  const { access, store, metrics } = accessOf()
  store.put('one', { plan: 'unlimited' })
  const holder = await access.identify('one')
  store.error = new Error('down')
  for (let i = 0; i < 1_000; i += 1) {
    void holder.admit(5, `op ${i % 3}`)
    if (i % 100 === 0) expect(await access.flush()).toBe(false)
  }
  expect(await metrics.registry.metrics()).toContain('usage_write_failures_total 10')
  store.error = null
  expect(await access.flush()).toBe(true)
  expect(await access.flush()).toBe(true)
  expect(store.counts.reduce((sum, { cost }) => sum + cost, 0)).toBe(5_000)
  // One count of the failed batch, and one of each operation since.
  expect(store.counts).toHaveLength(4)
})

test('behavior: usage of a key includes written and unwritten counts', async () => {
  const { access, store, clock } = accessOf()
  store.put('one', { plan: 'unlimited' })
  const holder = await access.identify('one')
  void holder.admit(5, 'a')
  await access.flush()
  void holder.admit(7, 'b')
  holder.refund(7, 'b')
  const rows = (await access.usageOf(holder)).map(
    ({ operation, requestCount, failedCount, cost }) => [
      operation,
      requestCount,
      failedCount,
      cost,
    ],
  )
  expect(rows).toEqual([
    ['a', 1, 0, 5],
    ['b', 1, 1, 0],
  ])
  clock.ms = creditPeriodAt(clock.ms).endMs
  expect(await access.usageOf(holder)).toEqual([])
  store.error = new Error('down')
  expect(await codeOf(() => access.usageOf(holder))).toBe('unavailable')
  store.error = null
})

test('behavior: close writes the remaining usage', async () => {
  const { access, store } = accessOf()
  store.put('one')
  const holder = await access.identify('one')
  void holder.admit(5, 'a')
  await access.close()
  expect(store.counts).toHaveLength(1)
})
