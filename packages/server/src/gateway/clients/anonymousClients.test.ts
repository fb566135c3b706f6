// Requests without a valid key, over real sockets. The limits of their address apply to them, and
// to no other client.
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { gatewayDefaults } from '../../../../../test/support/gatewayDefaults.ts'
import {
  createMemoryKeys,
  unlimitedHolder,
  validKey,
} from '../../../../../test/support/memoryKeys.ts'
import { highAddressLimits } from '../../../../../test/support/unlimitedClients.ts'
import { until } from '../../../../../test/support/until.ts'
import { createLogger } from '../../lib/logger.ts'
import { createMetrics } from '../../lib/metrics.ts'
import type { StoreReads } from '../chain/storeReads.ts'
import type { Feed } from '../feed/feed.ts'
import { createGateway, type Gateway, type GatewayOptions } from '../gateway.ts'
import type { KeyAdmin } from '../keys/keyAdmin.ts'
import { createAddressUsage } from './addressUsage.ts'

const unheardFeed = { tick: () => undefined } as Partial<Feed> as Feed
const adminKey = 'an-admin-key-of-tests'
let gateway: Gateway
afterEach(() => gateway.close())

type Limits = Partial<GatewayOptions['addressLimits']>

/** Starts a gateway whose clock does not advance, so that used limits do not recover. */
async function listen(limits: Limits, options: Partial<GatewayOptions> = {}): Promise<string> {
  gateway = createGateway({
    ...gatewayDefaults,
    version: '0',
    feed: unheardFeed,
    chains: new Map(),
    keys: createMemoryKeys(new Map([['good', unlimitedHolder(validKey)]])),
    store: {} as StoreReads,
    metrics: createMetrics(),
    logger: createLogger('silent'),
    clock: { nowMs: () => 1_000 },
    addressLimits: { ...highAddressLimits, ...limits },
    admin: { adminKey, plans: new Map(), keys: { list: async () => [] } as unknown as KeyAdmin },
    ...options,
  })
  return await gateway.listen()
}

async function ask(address: string, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${address}${path}`, { headers })
  const { error } = (await response.json()) as { error?: { code: string } }
  return { status: response.status, code: error?.code, wait: response.headers.get('retry-after') }
}

const operation = '/v2/supported_chains'

test('default: anonymous clients over the limit are rate limited, clients with a key are not', async () => {
  // After a pause ten requests are allowed at once.
  const address = await listen({ anonymousRequestsPerS: 2 })
  for (let count = 0; count < 5; count += 1) {
    expect(await ask(address, '/health/live')).toMatchObject({ status: 200 })
    expect(await ask(address, operation)).toMatchObject({ status: 401, code: 'missing_key' })
  }
  for (const path of ['/health/live', operation, '/nothing', '/openapi.json'])
    expect(await ask(address, path)).toEqual({ status: 429, code: 'rate_limited', wait: '1' })
  for (const path of ['/health/live', operation])
    expect(await ask(address, path, { 'x-api-key': 'good' })).toMatchObject({ status: 200 })
})

test('behavior: every 32 KB of a long document count as one request', async () => {
  // After a pause fifty requests are allowed at once. The first answer shows how many the document
  // counts as.
  const address = await listen({ anonymousRequestsPerS: 10 })
  const plain = { headers: { 'accept-encoding': 'identity' } }
  const { byteLength } = await (await fetch(`${address}/openapi.json`, plain)).arrayBuffer()
  const counted = 1 + Math.floor(byteLength / 32_768)
  expect(counted).toBeGreaterThan(2)
  let left = 50 - 1
  for (; left >= counted; left -= counted)
    expect(await ask(address, '/openapi.json')).toMatchObject({ status: 200 })
  expect(await ask(address, '/openapi.json')).toMatchObject({ status: 429 })
  for (; left > 0; left -= 1)
    expect(await ask(address, '/health/live')).toMatchObject({ status: 200 })
  expect(await ask(address, '/health/live')).toMatchObject({ status: 429 })
})

test('behavior: a rate-limited client that pipelines is disconnected after its first answer', async () => {
  const address = await listen({ anonymousRequestsPerS: 1 })
  const socket = connect(Number(new URL(address).port), '127.0.0.1')
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk
  })
  socket.on('error', () => undefined)
  socket.write('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1_000))
  await once(socket, 'close')
  const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
  expect(statuses).toEqual(['200'])
})

test('behavior: invalid keys are counted, over REST and WebSocket', async () => {
  const address = await listen({ failedKeysPerMin: 3 })
  const wrong = { 'x-api-key': 'wrong' }
  for (let count = 0; count < 3; count += 1)
    expect(await ask(address, operation, wrong)).toMatchObject({ status: 401, code: 'invalid_key' })
  expect(await ask(address, operation, wrong)).toMatchObject({ status: 429, wait: '20' })
  // A missing key does not count as a failed key.
  expect(await ask(address, operation)).toMatchObject({ status: 401 })
  const wsUrl = address.replace('http', 'ws')
  const refused = new WebSocket(`${wsUrl}/?api_key=wrong`)
  const [, answer] = await once(refused, 'unexpected-response')
  expect([answer.statusCode, answer.headers['retry-after']]).toEqual([429, '20'])
  const good = new WebSocket(`${wsUrl}/?api_key=good`)
  await once(good, 'open')
  good.terminate()
})

test('behavior: wrong admin keys are counted and logged, the right key still works', async () => {
  const lines: string[] = []
  const logger = createLogger('info')
  Object.assign(logger, { child: () => recorder(lines) })
  const address = await listen({ failedAdminKeysPerMin: 2 }, { logger })
  const wrong = { 'x-admin-key': 'a-wrong-admin-key' }
  expect(await ask(address, '/admin/keys', wrong)).toMatchObject({ status: 401 })
  expect(await ask(address, '/admin/keys')).toMatchObject({ status: 401 })
  expect(await ask(address, '/admin/keys', wrong)).toMatchObject({ status: 429, wait: '30' })
  expect(await ask(address, '/admin/keys', { 'x-admin-key': adminKey })).toMatchObject({
    status: 200,
  })
  await until('the action is written down', () => lines.length === 3)
  const from = '"action":"GET /admin/keys","address":"127.0.0.1"'
  expect(lines).toEqual([
    `{"msg":"Admin key refused",${from}}`,
    `{"msg":"Admin key refused",${from}}`,
    `{"msg":"Admin action",${from},"status":200}`,
  ])
})

function recorder(lines: string[]) {
  const write = (facts: object) => void lines.push(JSON.stringify(facts))
  return { info: write, warn: write }
}

test('behavior: connections of an address are limited, and closing one makes room', async () => {
  const address = await listen({ connectionsMax: 3 })
  const port = Number(new URL(address).port)
  const open = await Promise.all(
    [1, 2, 3].map(async () => {
      const socket = connect(port, '127.0.0.1')
      socket.write('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n')
      await once(socket, 'data')
      return socket
    }),
  )
  const fourth = connect(port, '127.0.0.1')
  fourth.on('error', () => undefined)
  await once(fourth, 'close')
  open[0]!.destroy()
  await until('there is room', async () => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write('GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    let bytes = 0
    socket.on('data', (chunk) => {
      bytes += chunk.length
    })
    await new Promise((resolve) => socket.once('close', resolve))
    return bytes > 0
  })
  for (const socket of open) socket.destroy()
})

test('behavior: a connection counts once, however many upgrades it requests', async () => {
  const warnings: Error[] = []
  const onWarning = (warning: Error) => void warnings.push(warning)
  process.on('warning', onWarning)
  const address = await listen({ connectionsMax: 2 })
  const socket = connect(Number(new URL(address).port), '127.0.0.1').setEncoding('latin1')
  const closed = once(socket, 'close')
  for (let count = 0; count < 20; count += 1) {
    socket.write(
      'GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n',
    )
    const [answer] = await Promise.race([once(socket, 'data'), closed])
    expect([count, String(answer).slice(0, 12)]).toEqual([count, 'HTTP/1.1 200'])
  }
  expect(await ask(address, '/health/live')).toMatchObject({ status: 200 })
  socket.destroy()
  process.off('warning', onWarning)
  expect(warnings).toEqual([])
})

test('behavior: each client behind a trusted proxy has its own limits', async () => {
  const address = await listen({ anonymousRequestsPerS: 1 }, { trustedProxies: ['127.0.0.1'] })
  const from = (client: string) => ask(address, '/health/live', { 'x-forwarded-for': client })
  for (let count = 0; count < 5; count += 1)
    expect(await from('9.9.9.9')).toMatchObject({ status: 200 })
  expect(await from('9.9.9.9')).toMatchObject({ status: 429 })
  expect(await from('8.8.8.8')).toMatchObject({ status: 200 })
})

test('behavior: the number of remembered addresses is limited', () => {
  gateway = { close: async () => undefined } as Gateway
  const limits = { ...highAddressLimits, anonymousRequestsPerS: 1, addressesMax: 100 }
  const book = createAddressUsage(limits, { nowMs: () => 0 })
  for (let count = 0; count < 6; count += 1) book.countFault('first', 'anonymous')
  expect(book.countFault('first', 'anonymous')).toBeGreaterThan(0)
  for (let at = 0; at < 1_000; at += 1) book.countFault(`address ${at}`, 'anonymous')
  expect(book.countFault('first', 'anonymous')).toBe(0)
})
