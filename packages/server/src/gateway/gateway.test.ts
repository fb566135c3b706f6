import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { createMemoryKeys } from '../../../../test/support/memoryKeys.ts'
import { defaultSocketLimits } from '../../../../test/support/socketLimits.ts'
import { createLogger } from '../lib/logger.ts'
import { createMetrics } from '../lib/metrics.ts'
import type { Feed } from './feed/feed.ts'
import { createGateway } from './gateway.ts'
import type { StoreReads } from './storeReads.ts'

const unheardFeed = { tick: () => undefined } as Partial<Feed> as Feed

function gatewayOf(port: number) {
  return createGateway({
    host: '127.0.0.1',
    port,
    version: '0',
    chains: new Map(),
    keys: createMemoryKeys(new Map()),
    store: {} as StoreReads,
    metrics: createMetrics(),
    logger: createLogger('silent'),
    limits: {
      bodyBytesMax: 65_536,
      connectionsMax: 10,
      requestMsMax: 30_000,
      headAgeSMax: 120,
      encodedRowsBytesMax: 4_000_000,
    },
    responseEnvelope: 'contract',
    baseUrls: ['http://localhost'],
    corsOrigins: ['*'],
    clock: { nowMs: () => 0 },
    feed: unheardFeed,
    socketLimits: defaultSocketLimits,
    isCompressionEnabled: false,
    trustProxy: false,
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

test('error: the port is taken', async () => {
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

test('error: bytes that are not HTTP, and strange methods', async () => {
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
