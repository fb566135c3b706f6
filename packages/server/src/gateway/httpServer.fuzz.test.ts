// Sends anything at all to the server: every answer is an error body of the documented shape or a
// success, and no input becomes an internal error.
import { strict as assert } from 'node:assert'
import { errorSpecs, isErrorCode } from '@chaintape/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { gatewayChainOf } from '../../../../test/support/gatewayChain.ts'
import { createMemoryKeys, goodKey, unlimitedHolder } from '../../../../test/support/memoryKeys.ts'
import type { MarketReads } from '../engine/marketReads.ts'
import { createLogger } from '../lib/logger.ts'
import { createMetrics } from '../lib/metrics.ts'
import type { ChainProfile } from '../model/chainProfile.ts'
import type { GatewayChain } from './gatewayChain.ts'
import { createHttpServer } from './httpServer.ts'
import type { StoreReads } from './storeReads.ts'

const reads = {
  head: () => ({ number: 1, hash: '0x1', parentHash: '0x0', timeS: 1 }),
  findPair: () => undefined,
  findToken: () => undefined,
} as Partial<MarketReads> as MarketReads
const profile = {
  name: 'local',
  native: { symbol: 'ETH', decimals: 18, wrappedToken: '0x' },
  stables: [],
  quotes: [],
} as Partial<ChainProfile> as ChainProfile

function chainOfKind(kind: GatewayChain['kind']): GatewayChain {
  return gatewayChainOf({ kind, reads, profile })
}

const server = createHttpServer({
  version: '0',
  chains: new Map([
    ['local', chainOfKind('evm')],
    ['solana', chainOfKind('solana')],
  ]),
  keys: createMemoryKeys(new Map([['some_key', unlimitedHolder(goodKey)]])),
  store: {} as StoreReads,
  metrics: createMetrics(),
  logger: createLogger('silent'),
  limits: {
    bodyBytesMax: 1_024,
    connectionsMax: 10,
    requestMsMax: 1_000,
    headAgeSMax: 120,
    encodedRowsMax: 10,
  },
  responseEnvelope: 'contract',
  baseUrls: ['http://localhost'],
  clock: { nowMs: () => 1_000 },
})

const word = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.constantFrom(
    '',
    '%',
    '%zz',
    '%00',
    '..',
    '-',
    '-local',
    'a-local',
    'a-solana',
    `0x${'a'.repeat(40)}-local`,
  ),
)
const url = fc.oneof(
  word.map((text) => `/v2/pairs/${encodeURIComponent(text)}`),
  word.map((text) => `/v2/tokens/main?chain=${encodeURIComponent(text)}`),
  fc.webPath().map((path) => `/v2${path}`),
  fc.constantFrom('/v2/pairs/%zz', '/v2/pairs/%E0%A4%A', '/v2//', '//', '/v2/tokens/main?%zz=%zz'),
)
const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS')

test('behavior: no input is an internal error', async () => {
  const statuses = new Set<number>()
  await fc.assert(
    fc.asyncProperty(method, url, fc.string({ maxLength: 2_000 }), async (method, url, payload) => {
      const headers = { 'x-api-key': 'some_key' }
      const hasBody = method !== 'GET' && method !== 'HEAD'
      const response = await server.inject({ method, url, headers, ...(hasBody && { payload }) })
      statuses.add(response.statusCode)
      if (response.statusCode === 200 || method === 'HEAD') return
      const body = response.json()
      expect(Object.keys(body)).toEqual(['status', 'msg', 'data', 'error'])
      const code = String(body.error.code)
      assert(isErrorCode(code))
      expect(errorSpecs[code].httpStatus).toBe(response.statusCode)
      expect(response.statusCode).toBeLessThan(500)
    }),
    { numRuns: 2_000 },
  )
  expect([...statuses].sort()).toEqual([200, 400, 404, 405])
})
