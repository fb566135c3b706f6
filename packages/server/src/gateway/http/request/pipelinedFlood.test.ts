// One connection that sends as much as it can, beside another that asks now and then.
import { once } from 'node:events'
import { connect } from 'node:net'
import { Gauge } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createServedMarket,
  fillMarket,
  servedKey,
} from '../../../../../../test/support/servedMarket.ts'
import { createMetrics } from '../../../lib/metrics.ts'

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

beforeAll(async () => {
  port = Number(new URL(await market.server.listen({ host: '127.0.0.1', port: 0 })).port)
})
afterAll(() => market.server.close())

/** Sends a request many times at once; counts the answers. */
function flood(path: string, count: number) {
  const socket = connect(port, '127.0.0.1')
  let answers = 0
  let tail = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    const text = tail + chunk
    answers += text.split('HTTP/1.1 200 ').length - 1
    tail = text.slice(-12).includes('HTTP/1.1 200 ') ? '' : text.slice(-12)
  })
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(count))
  return {
    socket,
    answers: () => answers,
    async until(least: number) {
      while (answers < least) await once(socket, 'data')
    },
  }
}

test.each(['/metrics', '/openapi.json', '/docs', '/health/ready'])(
  'behavior: another client is answered long before a flood of %s is',
  async (path) => {
    const count = 1_500
    const { socket, answers, until } = flood(path, count)
    await until(1)
    const response = await fetch(`http://127.0.0.1:${port}/v2/tokens/main?chain=local`, {
      headers: { 'X-API-KEY': servedKey },
    })
    expect(response.status).toBe(200)
    expect(answers()).toBeLessThan(count / 2)
    socket.destroy()
  },
)

test('behavior: figures and documents are made once for all who ask', async () => {
  const before = metricsMade
  const { socket, until } = flood('/metrics', 300)
  await until(300)
  expect(metricsMade - before).toBeLessThan(30)
  socket.destroy()
})

test('behavior: who has a document is told so, and who takes it compressed gets it so', async () => {
  for (const path of ['/openapi.json', '/asyncapi.json', '/docs/docs.css']) {
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
