import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { withinMs } from './withinMs.ts'

afterEach(() => void vi.useRealTimers())

test('default: the result of the work in time, or the value for late work', async () => {
  vi.useFakeTimers()
  const never = withinMs(new Promise(() => undefined), 100, 'late')
  expect(await withinMs(Promise.resolve(7), 100, 'late')).toBe(7)
  await vi.advanceTimersByTimeAsync(100)
  expect(await never).toBe('late')
  // No timer is left.
  expect(vi.getTimerCount()).toBe(0)
})

test('error: a failure in time is thrown, one that comes too late is not', async () => {
  await expect(withinMs(Promise.reject(new Error('no')), 100, null)).rejects.toThrow('no')
  const failing = delay(20).then(() => {
    throw new Error('too late')
  })
  expect(await withinMs(failing, 1, null)).toBe(null)
  await expect(failing).rejects.toThrow('too late')
})
