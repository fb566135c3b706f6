import { strict as assert } from 'node:assert'
import { expect, test } from 'vitest'
import { gatewayChainOf, testProfile, testWeth } from '../../../../../test/support/gatewayChain.ts'
import { gatewayDefaults } from '../../../../../test/support/gatewayDefaults.ts'
import { injectRequest } from '../../../../../test/support/injectRequest.ts'
import {
  createMemoryKeys,
  unlimitedHolder,
  validKey,
} from '../../../../../test/support/memoryKeys.ts'
import { createUnlimitedClients } from '../../../../../test/support/unlimitedClients.ts'
import type { MarketReads } from '../../engine/marketReads.ts'
import { createLogger } from '../../lib/logger.ts'
import { createMetrics } from '../../lib/metrics.ts'
import type { ChainStatus } from '../chain/gatewayChain.ts'
import type { StoreReads } from '../chain/storeReads.ts'
import { createHttpServer } from './httpServer.ts'
import type { HttpServerOptions } from './serverOptions.ts'

const nowS = 1_760_000_000
const pairAddress = `0x${'ab'.repeat(20)}`

const head = { number: 9, hash: '0x9', parentNumber: 8, parentHash: '0x8', timeS: nowS }

/** A market that has blocks and nothing else. */
const reads: MarketReads = {
  head: () => head,
  finalizedNumber: () => 8,
  pairCount: () => 0,
  tokenCount: () => 0,
  findPair: () => undefined,
  findToken: () => undefined,
  findTokensAnyCase: () => [],
  pairState: () => assert.fail('no pair'),
  pairMarket: () => assert.fail('no pair'),
  tokenState: () => assert.fail('no token'),
  pairWindow: () => assert.fail('no pair'),
  pairTrading: () => assert.fail('no pair'),
  tokenWindow: () => assert.fail('no token'),
  tokenTrading: () => assert.fail('no token'),
  pairDayRange: () => assert.fail('no pair'),
  tokenDayRange: () => assert.fail('no token'),
  pairPrice: () => assert.fail('no pair'),
  tokenPrice: () => assert.fail('no token'),
  lastClose: () => assert.fail('no pair'),
  tokenDayVolumeUsd: () => 0,
  openKline: () => null,
  nativeUsd: () => null,
  nativeAtS: () => 0,
  tokenActivity: () => assert.fail('no token'),
  tokenRecord: () => assert.fail('no token'),
  tokenSupply: () => assert.fail('no token'),
  tokenRecordRevision: () => 0,
  tokenSupplyRevision: () => 0,
  tokenFacts: () => assert.fail('no token'),
  tokenWorth: () => assert.fail('no token'),
  tokenPairs: () => assert.fail('no token'),
  tokenTvl: () => assert.fail('no token'),
  mainPairOf: () => assert.fail('no token'),
  tokenSeries: () => assert.fail('no token'),
  launchOf: () => assert.fail('no token'),
  pairRecord: () => assert.fail('no pair'),
  pairShares: () => assert.fail('no pair'),
  pairActivity: () => assert.fail('no pair'),
  pairTvlUsd: () => assert.fail('no pair'),
  isPairTvlKnown: () => assert.fail('no pair'),
  pairDayOpenUsd: () => assert.fail('no pair'),
  tokenDayOpenUsd: () => assert.fail('no token'),
  targetTokenOf: () => assert.fail('no pair'),
  revertCount: () => 0,
  activePairCount: () => 0,
  activePair: () => assert.fail('no pair'),
  tokenInterest: () => assert.fail('no token'),
  search: () => ({ exact: [], prefix: [], inside: [] }),
  launched: () => [],
  launchedBy: () => [],
}

const goodStatus: ChainStatus = {
  state: 'live',
  wasReady: true,
  lagReason: null,
  tipNumber: 9,
  persistedNumber: 8,
  queueBlocks: 1,
  queueBlocksMax: 1_024,
  pausedReason: null,
  databaseError: null,
  rpcError: null,
  unresolvedPools: 0,
  missedPools: null,
  retentionError: null,
  tipTimeS: null,
  startBlock: 0,
  history: { firstNumber: 0, swapsFromS: null },
}

const chain = gatewayChainOf({ profile: testProfile, reads, status: () => goodStatus })

const good = 'good_key'
const keys = createMemoryKeys(
  new Map([
    [good, unlimitedHolder(validKey)],
    ['expired_key', unlimitedHolder({ ...validKey, expiresAtS: nowS })],
    ['revoked_key', unlimitedHolder({ ...validKey, revokedAtS: nowS - 1 })],
  ]),
)

// No request of these tests reads the store.
const noStore = {} as StoreReads

function serverOf(options: Partial<HttpServerOptions> = {}) {
  return createHttpServer({
    version: '1.2.3',
    chains: new Map([['local', chain]]),
    keys,
    clients: createUnlimitedClients(keys),
    store: noStore,
    metrics: createMetrics(),
    logger: createLogger('silent'),
    limits: { ...gatewayDefaults.limits, connectionsMax: 10 },
    responseEnvelope: 'contract',
    baseUrls: ['http://localhost'],
    corsOrigins: ['*'],
    clock: { nowMs: () => nowS * 1_000 },
    ...options,
  })
}

async function get(url: string, options: Partial<HttpServerOptions> = {}) {
  const response = await injectRequest(serverOf(options), { url, headers: { 'x-api-key': good } })
  return { status: response.statusCode, body: response.json() }
}

test('behavior: an unknown, well-formed pair is answered with an empty object', async () => {
  expect(await get(`/v2/pairs/0x${'12'.repeat(32)}-local`)).toEqual({ status: 200, body: {} })
})

test.each([
  ['/v2/tokens/main', 400, 'missing_param', 'chain'],
  ['/v2/tokens/main?chain=', 400, 'missing_param', 'chain'],
  ['/v2/tokens/main?chain=local&chain=eth', 400, 'invalid_param', 'chain'],
  ['/v2/tokens/main?chain=eth', 400, 'unknown_chain', 'chain'],
  ['/v2/pairs/nothing', 400, 'malformed_id', 'pair-id'],
  [`/v2/pairs/${pairAddress}-eth`, 400, 'unknown_chain', 'pair-id'],
  ['/v2/pairs/0x12-local', 400, 'malformed_id', 'pair-id'],
  [`/v2/pairs/${'a'.repeat(9_000)}-local`, 400, 'malformed_id', 'pair-id'],
  ['/v2/pairs/%zz', 400, 'bad_request', 'path'],
  ['/v2/nothing', 404, 'not_found', 'path'],
  ['/v2/pairs/a/b', 404, 'not_found', 'path'],
])('error: %s', async (url, status, code, param) => {
  const response = await get(url)
  expect(response.status).toBe(status)
  expect(response.body).toEqual({
    status: 0,
    msg: expect.stringMatching(/^[A-Z].*\.$/),
    data: null,
    error: { code, param },
  })
})

test('error: the error of an unknown chain lists the served chains', async () => {
  const { body } = await get('/v2/tokens/main?chain=eth')
  expect(body.msg).toBe('The chain "eth" is not served here. The chains are: local.')
})

test.each([
  ['POST', '/v2/tokens/main'],
  ['DELETE', `/v2/pairs/${pairAddress}-local`],
  ['PUT', '/health/live'],
  ['OPTIONS', '/metrics'],
] as const)('error: %s %s is not allowed', async (method, url) => {
  const headers = { 'content-type': 'application/strange' }
  const response = await injectRequest(serverOf(), { method, url, headers, payload: '{' })
  expect(response.statusCode).toBe(405)
  expect(response.headers.allow).toBe('GET, HEAD')
  expect(response.json().error).toEqual({ code: 'method_not_allowed', param: 'method' })
})

test('error: a body over the limit is refused', async () => {
  const payload = 'x'.repeat(65_537)
  const response = await injectRequest(serverOf(), {
    method: 'POST',
    url: '/v2/tokens/main',
    payload,
  })
  expect(response.statusCode).toBe(400)
  expect(response.json().error.code).toBe('body_too_large')
})

test.each([
  [undefined, 401, 'missing_key'],
  ['', 401, 'missing_key'],
  ['wrong_key', 401, 'invalid_key'],
  ['x'.repeat(600), 401, 'invalid_key'],
  ['revoked_key', 401, 'invalid_key'],
  ['expired_key', 403, 'expired_key'],
])('error: key %s', async (key, status, code) => {
  const headers = key === undefined ? {} : { 'x-api-key': key }
  const response = await injectRequest(serverOf(), { url: '/v2/tokens/main?chain=local', headers })
  expect(response.statusCode).toBe(status)
  expect(response.json().error).toEqual({ code, param: 'X-API-KEY' })
})

test('behavior: /metrics counts requests and shows the chain', async () => {
  const server = serverOf()
  await injectRequest(server, '/health/live')
  await injectRequest(server, '/nothing')
  const { body, headers } = await injectRequest(server, '/metrics')
  expect(headers['content-type']).toContain('text/plain')
  expect(body).toContain(
    'chaintape_http_requests_total{method="GET",route="/health/live",status="200"} 1',
  )
  expect(body).toContain('route="unmatched",status="404"} 1')
  expect(body).toContain('chaintape_head_block{chain="local"} 9')
})

test('behavior: with the envelope setting, every answer and error is wrapped', async () => {
  const always = { responseEnvelope: 'always' } as const
  expect((await get('/v2/tokens/main?chain=local', always)).body).toEqual({
    status: 1,
    msg: 'SUCCESS',
    data_type: 1,
    data: [],
  })
  expect((await get(`/v2/pairs/${testWeth}-local`, always)).body).toEqual({
    status: 1,
    msg: 'SUCCESS: pair not found',
    data_type: 1,
    data: {},
  })
})

test('error: an internal error reveals no details to the client', async () => {
  const { status, body } = await get(`/v2/pairs/${pairAddress}-local`, {
    chains: new Map([['local', { ...chain, reads: { ...reads, findPair: () => 0 } }]]),
  })
  expect(status).toBe(500)
  expect(JSON.stringify(body)).not.toContain('no pair')
  expect(body.error).toEqual({ code: 'internal' })
})

test('behavior: health needs no key', async () => {
  const live = await injectRequest(serverOf(), '/health/live')
  expect(live.json()).toEqual({ live: true, version: '1.2.3', uptime_s: 0 })
  const ready = await injectRequest(serverOf(), '/health/ready')
  expect(ready.statusCode).toBe(200)
  expect(ready.json()).toMatchObject({ ready: true, reasons: [], warnings: [] })
})

test('behavior: without a block, neither health nor the market is ready', async () => {
  const chains = new Map([['local', { ...chain, reads: { ...reads, head: () => null } }]])
  expect((await get('/health/ready', { chains })).status).toBe(503)
  const market = await get('/v2/tokens/main?chain=local', { chains })
  expect(market.status).toBe(503)
  expect(market.body.error).toEqual({ code: 'not_ready', param: 'chain' })
})
