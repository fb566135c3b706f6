// Floods from many connections, beside a client that sends a request now and then.
import { connect } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Gauge } from 'prom-client'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import {
  createServedMarket,
  fillMarket,
  servedKey,
} from '../../../../../test/support/servedMarket.ts'
import { createMetrics } from '../../lib/metrics.ts'

const metrics = createMetrics()
let metricsMade = 0
new Gauge({
  name: 'made_count',
  help: 'How often the figures were put together.',
  registers: [metrics.registry],
  collect: () => {
    metricsMade += 1
  },
})
const market = createServedMarket({ metrics })
fillMarket(market.chain)
let port = 0
let answered = 0
market.server.server.on('request', (_request, response) => {
  response.once('finish', () => {
    answered += 1
  })
})

beforeAll(async () => {
  port = Number(new URL(await market.server.listen({ host: '127.0.0.1', port: 0 })).port)
})
afterAll(() => market.server.close())
afterEach(() => void vi.restoreAllMocks())

/**
 * Sends a request many times at once, on as many connections. Returns a function that ends the
 * connections.
 */
function flood(path: string, count: number): () => void {
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(port, '127.0.0.1').resume()
    socket.on('error', () => undefined)
    return socket
  })
  for (const socket of sockets) socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(3))
  return () => {
    for (const socket of sockets) socket.destroy()
  }
}

test.each(['/metrics', '/openapi.json', '/docs/', '/health/ready'])(
  'behavior: in a flood of %s, other clients are served after every few answers',
  async (path) => {
    // Each read of the clock advances it by half a scheduler slot, so slots are equally short on
    // every machine.
    let lookMs = performance.now()
    vi.spyOn(performance, 'now').mockImplementation(() => {
      lookMs += 1
      return lookMs
    })
    const end = answered + 100
    const stop = flood(path, 100)
    const other = fetch(`http://127.0.0.1:${port}/v2/tokens/main?chain=local`, {
      headers: { 'X-API-KEY': servedKey },
    })
    let most = 0
    for (let before = answered; answered < end; before = answered) {
      // In one iteration, the event loop reads every socket once.
      await nextTurn()
      most = Math.max(most, answered - before)
    }
    expect(most).toBeLessThan(10)
    expect((await other).status).toBe(200)
    stop()
  },
)

test('behavior: metrics and documents are built once for all requests', async () => {
  const nowMs = performance.now()
  vi.spyOn(performance, 'now').mockReturnValue(nowMs)
  const before = metricsMade
  const end = answered + 300
  const stop = flood('/metrics', 300)
  while (answered < end) await nextTurn()
  expect(metricsMade - before).toBeLessThanOrEqual(1)
  stop()
})

test('behavior: a document is answered with 304 for its ETag, and compressed if accepted', async () => {
  for (const path of ['/openapi.json', '/asyncapi.json', '/docs/index.html']) {
    const ask = (headers: Record<string, string>) =>
      fetch(`http://127.0.0.1:${port}${path}`, { headers })
    const plain = await ask({ 'accept-encoding': 'identity' })
    const text = await plain.text()
    expect(plain.headers.get('content-encoding')).toBe(null)
    const etag = plain.headers.get('etag')!
    const known = await ask({ 'if-none-match': `"other", ${etag}` })
    expect([known.status, await known.text()]).toEqual([304, ''])
    for (const encoding of ['br', 'gzip']) {
      const small = await ask({ 'accept-encoding': encoding })
      expect(small.headers.get('content-encoding')).toBe(encoding)
      expect(await small.text()).toBe(text)
    }
    const refused = await ask({ 'accept-encoding': 'gzip;q=0' })
    expect(refused.headers.get('content-encoding')).toBe(null)
  }
})
