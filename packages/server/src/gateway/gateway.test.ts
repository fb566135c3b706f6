import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { gatewayDefaults } from '../../../../test/support/gatewayDefaults.ts'
import { createMemoryKeys } from '../../../../test/support/memoryKeys.ts'
import { createLogger } from '../lib/logger.ts'
import { createMetrics } from '../lib/metrics.ts'
import type { StoreReads } from './chain/storeReads.ts'
import type { Feed } from './feed/feed.ts'
import { createGateway, type GatewayOptions } from './gateway.ts'
import type { KeyAdmin } from './keys/keyAdmin.ts'

const unheardFeed = { tick: () => undefined } as Partial<Feed> as Feed

function gatewayOf(port: number, options: Partial<GatewayOptions> = {}) {
  return createGateway({
    ...gatewayDefaults,
    port,
    version: '0',
    chains: new Map(),
    keys: createMemoryKeys(new Map()),
    store: {} as StoreReads,
    metrics: createMetrics(),
    logger: createLogger('silent'),
    limits: { ...gatewayDefaults.limits, connectionsMax: 10 },
    clock: { nowMs: () => 0 },
    feed: unheardFeed,
    ...options,
  })
}

async function rawRequest(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk
  })
  const ended = new Promise((resolve) => socket.once('close', resolve))
  socket.write(text)
  await ended
  return answer
}

test('default: listens on a free port and closes', async () => {
  const gateway = gatewayOf(0)
  const address = await gateway.listen()
  try {
    expect((await fetch(`${address}/health/live`)).status).toBe(200)
  } finally {
    await gateway.close()
  }
  await expect(fetch(`${address}/health/live`)).rejects.toThrow()
})

test('error: listening on a used port fails', async () => {
  const gateway = gatewayOf(0)
  const port = Number(new URL(await gateway.listen()).port)
  try {
    await expect(gatewayOf(port).listen()).rejects.toMatchObject({
      code: 'LISTEN_FAILED',
      shortMessage: `Port ${port} is already in use; choose another with --port.`,
    })
  } finally {
    await gateway.close()
  }
})

test('error: bytes that are not HTTP and unknown methods are refused', async () => {
  const gateway = gatewayOf(0)
  const port = Number(new URL(await gateway.listen()).port)
  try {
    const garbage = await rawRequest(port, 'hello\r\n\r\n')
    expect(garbage).toContain('HTTP/1.1 400 Bad Request')
    expect(garbage).toContain('"error":{"code":"bad_request"}')
    const strange = await rawRequest(
      port,
      'PROPFIND /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    )
    expect(strange).toContain('HTTP/1.1 405')
    const large = await rawRequest(port, `GET / HTTP/1.1\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`)
    expect(large).toContain('HTTP/1.1 431')
  } finally {
    await gateway.close()
  }
})

test('behavior: metrics and the admin API can listen on separate ports', async () => {
  const apart = { host: '127.0.0.1', port: 0 }
  const adminKey = 'an-admin-key-of-tests'
  const gateway = gatewayOf(0, {
    metricsAt: apart,
    adminAt: apart,
    admin: { adminKey, plans: new Map(), keys: { list: async () => [] } as unknown as KeyAdmin },
  })
  const main = await gateway.listen()
  const [figures, admin] = [gateway.addressOf('metrics')!, gateway.addressOf('admin')!]
  const statusesOf = (path: string) =>
    Promise.all(
      [main, figures, admin].map(async (address) => {
        const headers = { 'x-admin-key': adminKey }
        return (await fetch(`${address}${path}`, { headers })).status
      }),
    )
  try {
    expect(await statusesOf('/metrics')).toEqual([404, 200, 404])
    expect(await statusesOf('/admin/keys')).toEqual([404, 404, 200])
    expect(await statusesOf('/health/live')).toEqual([200, 404, 404])
    expect(await statusesOf('/v2/tokens/main')).toEqual([401, 404, 404])
  } finally {
    await gateway.close()
  }
})

test('behavior: /metrics answers local requests only, unless it has a separate port', async () => {
  const refused = ['X-Forwarded-For: 127.0.0.1', 'Forwarded: for=127.0.0.1', 'Via: 1.1 a']
  const statusOf = async (address: string, line: string) =>
    (await rawRequest(Number(new URL(address).port), metricsHead(line))).slice(0, 12)
  // Requests through a trusted proxy are refused too.
  const gateway = gatewayOf(0, { trustedProxies: ['127.0.0.1'] })
  const apart = gatewayOf(0, { metricsAt: { host: '127.0.0.1', port: 0 } })
  try {
    const address = await gateway.listen()
    expect(await statusOf(address, 'A: a')).toBe('HTTP/1.1 200')
    for (const line of refused) expect(await statusOf(address, line)).toBe('HTTP/1.1 404')
    expect(await rawRequest(Number(new URL(address).port), metricsHead('Via: 1.1 a'))).toContain(
      'server.metrics_port',
    )
    await apart.listen()
    for (const line of refused)
      expect(await statusOf(apart.addressOf('metrics')!, line)).toBe('HTTP/1.1 200')
  } finally {
    await gateway.close()
    await apart.close()
  }
})

const metricsHead = (line: string) =>
  `GET /metrics HTTP/1.1\r\nHost: a\r\n${line}\r\nConnection: close\r\n\r\n`
