import { expect, test, vi } from 'vitest'
import { createLogger } from '../../lib/logger.ts'
import { createMetrics } from '../../lib/metrics.ts'
import { type ApiKey, createApiKey, hashApiKey } from './apiKey.ts'
import { createKeyCache } from './keyCache.ts'

const record: ApiKey = {
  id: 1,
  name: 'a',
  plan: 'free',
  createdAtS: 1,
  expiresAtS: null,
  revokedAtS: null,
}

function cacheOf(find: (hash: Uint8Array) => Promise<ApiKey | null>, lookupMsMax = 1_000) {
  const clock = { ms: 0, nowMs: () => clock.ms }
  const findByHash = vi.fn(find)
  const cache = createKeyCache({
    keys: { findByHash },
    clock,
    logger: createLogger('silent'),
    metrics: createMetrics(),
    countMax: 2,
    trustMs: 100,
    lookupMsMax,
  })
  return { cache, clock, findByHash }
}

test('default: asks once while the answer is trusted', async () => {
  const { cache, clock, findByHash } = cacheOf(async () => record)
  expect(await cache.find('one')).toBe(record)
  expect(await cache.find('one')).toBe(record)
  expect(findByHash).toHaveBeenCalledTimes(1)
  clock.ms = 100
  await cache.find('one')
  expect(findByHash).toHaveBeenCalledTimes(2)
})

test('behavior: requests at the same time share one lookup', async () => {
  const { cache, findByHash } = cacheOf(async () => record)
  await Promise.all([cache.find('one'), cache.find('one'), cache.find('one')])
  expect(findByHash).toHaveBeenCalledTimes(1)
})

test('behavior: the least recently used key is forgotten first', async () => {
  const { cache, findByHash } = cacheOf(async () => record)
  for (const key of ['one', 'two', 'one', 'three', 'one']) await cache.find(key)
  expect(findByHash).toHaveBeenCalledTimes(3)
  await cache.find('two')
  expect(findByHash).toHaveBeenCalledTimes(4)
})

test('behavior: guesses do not push out known keys', async () => {
  const good = hashApiKey('good')
  const { cache, findByHash } = cacheOf(async (hash) => (good.equals(hash) ? record : null))
  await cache.find('good')
  for (const guess of ['a', 'b', 'c', 'd']) expect(await cache.find(guess)).toBeNull()
  expect(findByHash).toHaveBeenCalledTimes(5)
  await cache.find('good')
  expect(findByHash).toHaveBeenCalledTimes(5)
})

test('behavior: a known key stays valid while the store fails', async () => {
  let isDown = false
  const { cache, clock } = cacheOf(async () => {
    if (isDown) throw new Error('down')
    return record
  })
  await cache.find('one')
  isDown = true
  clock.ms = 1_000
  expect(await cache.find('one')).toBe(record)
})

test('error: a key never seen while the store does not answer', async () => {
  vi.useFakeTimers()
  try {
    const { cache } = cacheOf(() => new Promise(() => {}), 50)
    const found = expect(cache.find('one')).rejects.toMatchObject({ wireCode: 'unavailable' })
    await vi.advanceTimersByTimeAsync(50)
    await found
  } finally {
    vi.useRealTimers()
  }
})

test('behavior: keys are long, prefixed and different', () => {
  const made = new Set(Array.from({ length: 100 }, createApiKey))
  expect(made.size).toBe(100)
  for (const key of made) expect(key).toMatch(/^ct_[\w-]{43}$/)
})
