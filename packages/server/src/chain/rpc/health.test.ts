import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { RpcError, type RpcErrorKind } from '../errors.ts'
import { createHealth } from './health.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const coolMsFirst = 100

function failure(kind: RpcErrorKind, retryAfterMs?: number): RpcError {
  return new RpcError({ kind, method: 'eth_call', endpoint: null, detail: '', retryAfterMs })
}

/** Returns the pause after each of `count` failures, each at the end of the previous pause. */
function pausesOf(count: number, kind: RpcErrorKind): number[] {
  const health = createHealth({ index: 0, bucket: null, coolMsFirst })
  return Array.from({ length: count }, () => {
    health.onError(failure(kind))
    const pauseMs = health.coolingMs(Date.now())
    vi.advanceTimersByTime(pauseMs)
    return pauseMs
  })
}

test('default: pauses grow with failures in a row, within bounds', () => {
  const growing = [100, 200, 400, 800, 1_600, 3_200]
  expect(pausesOf(11, 'timeout')).toEqual([
    ...[...growing, 6_400, 12_800, 25_600],
    ...[30_000, 30_000],
  ])
  expect(pausesOf(8, 'rateLimited')).toEqual([...growing, 5_000, 5_000])
})

test('behavior: requests that fail together are one failure', () => {
  const health = createHealth({ index: 0, bucket: null, coolMsFirst })
  for (const kind of ['timeout', 'unreachable', 'rateLimited'] as const)
    for (let count = 0; count < 50; count++) health.onError(failure(kind))
  expect(health.coolingMs(Date.now())).toBe(coolMsFirst)
  expect(health.summary()).toMatchObject({ failureCount: 150, rateLimitedCount: 50 })
})

test('behavior: an answer ends the row, and what the node asks for is given to it', () => {
  const health = createHealth({ index: 0, bucket: null, coolMsFirst })
  for (let count = 0; count < 5; count++) {
    health.onError(failure('timeout'))
    vi.advanceTimersByTime(health.coolingMs(Date.now()))
  }
  health.onAnswer(10)
  health.onError(failure('timeout'))
  expect(health.coolingMs(Date.now())).toBe(coolMsFirst)
  health.onError(failure('rateLimited', 7_000))
  expect(health.coolingMs(Date.now())).toBe(7_000)
  health.onError(failure('rateLimited', 20))
  expect(health.coolingMs(Date.now())).toBe(7_000)
})
