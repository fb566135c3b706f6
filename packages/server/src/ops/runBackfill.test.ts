import { expect, test } from 'vitest'
import type { EndpointStats } from '../kinds/intake.ts'
import { waitReason } from './runBackfill.ts'

const fine = { rpcError: null, databaseError: null, pausedReason: null }
const endpoint = (name: string, rateWaitMs: number): EndpointStats => ({
  name,
  isHealthy: true,
  latencyMs: 1,
  lastError: null,
  outcomes: {},
  hedges: 0,
  faults: 0,
  rateWaitMs,
})

test('default: waits for nothing', () => {
  expect(waitReason(fine, [endpoint('0:a', 0)])).toBe(null)
  expect(waitReason(fine, [endpoint('0:a', 40), endpoint('1:b', 0)])).toBe(null)
})

test('behavior: names the rate limit if all endpoints are at it', () => {
  expect(waitReason(fine, [endpoint('0:a', 40), endpoint('1:b', 3)])).toBe(
    'requests_per_second_max of 0:a, 1:b',
  )
})

test('behavior: names a failing node or database first', () => {
  const rpcError = 'connect ECONNREFUSED 127.0.0.1:1'
  expect(waitReason({ ...fine, rpcError }, [endpoint('0:a', 9)])).toBe(`a node: ${rpcError}`)
  expect(waitReason({ ...fine, databaseError: 'It is gone.' }, [])).toBe(
    'the database: It is gone.',
  )
  expect(waitReason({ ...fine, pausedReason: 'Its queue is full.' }, [])).toBe('Its queue is full.')
})
