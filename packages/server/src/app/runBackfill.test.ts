import { expect, test } from 'vitest'
import type { EndpointTally } from '../kinds/intake.ts'
import { waitsForOf } from './runBackfill.ts'

const fine = { rpcError: null, databaseError: null, pausedReason: null }
const endpoint = (name: string, rateWaitMs: number): EndpointTally => ({
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
  expect(waitsForOf(fine, [endpoint('0:a', 0)])).toBe(null)
  expect(waitsForOf(fine, [endpoint('0:a', 40), endpoint('1:b', 0)])).toBe(null)
})

test('behavior: names the rate limit if all endpoints are at it', () => {
  expect(waitsForOf(fine, [endpoint('0:a', 40), endpoint('1:b', 3)])).toBe(
    'requests_per_second_max of 0:a, 1:b',
  )
})

test('behavior: names a failing node or database first', () => {
  const rpcError = 'connect ECONNREFUSED 127.0.0.1:1'
  expect(waitsForOf({ ...fine, rpcError }, [endpoint('0:a', 9)])).toBe(`a node: ${rpcError}`)
  expect(waitsForOf({ ...fine, databaseError: 'It is gone.' }, [])).toBe(
    'the database: It is gone.',
  )
  expect(waitsForOf({ ...fine, pausedReason: 'Its queue is full.' }, [])).toBe('Its queue is full.')
})
