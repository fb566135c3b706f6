import { expect, test } from 'vitest'
import { headRequestRates, planFinding } from './evmNode.ts'

const base = { blockS: 0.2, pollMs: 200, finality: { type: 'depth', blocks: 640 } } as const
const endpoint = { httpUrl: 'https://node.invalid', wsUrl: 'wss://node.invalid' }

test('default: five blocks per second need under 15 requests per second, under 20 without a socket', () => {
  expect(headRequestRates(base, true).requests).toBeLessThan(15)
  expect(headRequestRates(base, false).requests).toBeLessThan(20)
  expect(planFinding('base rpc[0] node.invalid', endpoint, base)).toEqual({
    subject: 'base rpc[0] node.invalid',
    check: 'plan',
    level: 'ok',
    text: 'A block every 0.2 s: following the head needs 10 HTTP requests and 16 JSON-RPC calls per second, 0.86 million and 1.38 million per day.',
    advice: null,
  })
})

test('behavior: warns of a configured rate that is too low for the chain', () => {
  const limited = { ...endpoint, requestsPerSecondMax: 12 }
  expect(planFinding('base', limited, base)).toMatchObject({
    level: 'warn',
    advice: 'requests_per_second_max is 12 calls: raise it to 32, if your plan allows it.',
  })
  expect(planFinding('base', { ...limited, rateCounts: 'requests' }, base).level).toBe('ok')
})

test('behavior: counts polls and requests for the final block', () => {
  const slow = { blockS: 12, pollMs: 1_000, finality: { type: 'tag' } } as const
  const { requests, calls } = headRequestRates(slow, false)
  expect(requests).toBeCloseTo(1 + 3 / 12)
  expect(calls).toBeCloseTo(1 + 4.2 / 12)
  // Two blocks arrive per poll and share a request.
  expect(headRequestRates({ ...base, pollMs: 400 }, false).requests).toBeCloseTo(2.5 + 2.5 + 5)
})
