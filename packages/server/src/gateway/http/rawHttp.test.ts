// Bytes that no HTTP library would send, on a bare socket. They are refused or answered by the
// RFCs, and other clients are served meanwhile.

import { EventEmitter, once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { gatewayDefaults } from '../../../../../test/support/gatewayDefaults.ts'
import {
  createMemoryKeys,
  unlimitedHolder,
  validKey,
} from '../../../../../test/support/memoryKeys.ts'
import { dripRaw, sendRaw } from '../../../../../test/support/rawHttp.ts'
import {
  createServedMarket,
  fillMarket,
  servedKey,
} from '../../../../../test/support/servedMarket.ts'
import { highAddressLimits } from '../../../../../test/support/unlimitedClients.ts'
import { until } from '../../../../../test/support/until.ts'
import { createLogger } from '../../lib/logger.ts'
import { createMetrics } from '../../lib/metrics.ts'
import type { Feed } from '../feed/feed.ts'
import { createGateway, type Gateway } from '../gateway.ts'
import type { GatewayLimits } from './serverOptions.ts'

const unheardFeed = { tick: () => undefined } as Partial<Feed> as Feed
const market = createServedMarket()
fillMarket(market.chain)

const gateways: Gateway[] = []
let address = ''
let port = 0
/** Port of a gateway with a very short request timeout. */
let hastyPort = 0

async function listen(limits: Partial<GatewayLimits> = {}): Promise<string> {
  const gateway = createGateway({
    ...gatewayDefaults,
    version: '0',
    feed: unheardFeed,
    chains: market.serving.chains,
    store: market.serving.store,
    clock: market.serving.clock,
    keys: createMemoryKeys(new Map([[servedKey, unlimitedHolder(validKey)]])),
    metrics: createMetrics(),
    logger: createLogger('silent'),
    limits: { ...gatewayDefaults.limits, ...limits },
    addressLimits: highAddressLimits,
  })
  gateways.push(gateway)
  return await gateway.listen()
}

beforeAll(async () => {
  address = await listen()
  port = Number(new URL(address).port)
  hastyPort = Number(new URL(await listen({ requestMsMax: 400 })).port)
})
afterAll(() => Promise.all(gateways.map((gateway) => gateway.close())))

const close = 'Host: a\r\nConnection: close\r\n'
const key = `X-API-KEY: ${servedKey}\r\n`
const main = '/v2/tokens/main?chain=local'
const prices = JSON.stringify({ token_ids: [`0x${'a'.repeat(40)}-local`] })

async function expectHealthy(): Promise<void> {
  const response = await fetch(`${address}${main}`, { headers: { 'X-API-KEY': servedKey } })
  expect([response.status, ((await response.json()) as unknown[]).length]).toEqual([200, 2])
}

function expectNoTrace(text: string): void {
  expect(text).not.toMatch(/\bat .*\(|node_modules|node:internal|\.ts:\d/)
}

/** Returns the error codes of all answers in a text. */
function codesOf(text: string): string[] {
  return [...text.matchAll(/"error":\{"code":"(\w+)"/g)].map(([, code]) => code!)
}

const webSocket =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n'
const chunked = 'Transfer-Encoding: chunked\r\n'

test.each<[string, string, number, string]>([
  [
    'one huge header',
    `GET / HTTP/1.1\r\n${close}A: ${'a'.repeat(20_000)}\r\n\r\n`,
    431,
    'bad_request',
  ],
  [
    ...(['many headers', `GET / HTTP/1.1\r\n${close}${'A: aaaa\r\n'.repeat(5_000)}\r\n`] as const),
    ...([431, 'bad_request'] as const),
  ],
  ['a huge target', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${close}\r\n`, 431, 'bad_request'],
  ['two hosts', `GET /health/live HTTP/1.1\r\n${close}Host: b\r\n\r\n`, 400, 'bad_request'],
  ['one host twice', `GET /docs HTTP/1.1\r\n${close}hOST: a\r\n\r\n`, 400, 'bad_request'],
  ['two hosts in HTTP/1.0', `GET / HTTP/1.0\r\n${close}Host: b\r\n\r\n`, 400, 'bad_request'],
  [
    'two hosts of a WebSocket',
    `GET /ws HTTP/1.1\r\n${webSocket}Host: a\r\nHost: b\r\n\r\n`,
    ...([400, 'bad_request'] as const),
  ],
  ['a WebSocket without a host', `GET /ws HTTP/1.1\r\n${webSocket}\r\n`, 400, 'bad_request'],
  [
    'a length that is no number',
    `POST /v2/tokens/price HTTP/1.1\r\n${close}Content-Length: x\r\n\r\n`,
    400,
    'bad_request',
  ],
  [
    'a negative length',
    `POST /v2/tokens/price HTTP/1.1\r\n${close}Content-Length: -1\r\n\r\n`,
    400,
    'bad_request',
  ],
  [
    'a length of 30 digits',
    `POST /v2/tokens/price HTTP/1.1\r\n${close}Content-Length: ${'9'.repeat(30)}\r\n\r\n`,
    400,
    'bad_request',
  ],
  [
    'two lengths',
    `POST /v2/tokens/price HTTP/1.1\r\n${close}Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}`,
    400,
    'bad_request',
  ],
  [
    'a length beside chunks',
    `POST /v2/tokens/price HTTP/1.1\r\n${close}${chunked}Content-Length: 2\r\n\r\n{}`,
    400,
    'bad_request',
  ],
  [
    'chunks that are not last',
    `POST /v2/tokens/price HTTP/1.1\r\n${close}Transfer-Encoding: chunked, identity\r\n\r\n{}`,
    400,
    'bad_request',
  ],
  [
    'a chunk of no size',
    `POST /v2/tokens/price HTTP/1.1\r\n${close}${chunked}\r\nzz\r\n{}\r\n`,
    400,
    'bad_request',
  ],
  [
    'a bare line feed in a header',
    `GET / HTTP/1.1\r\n${close}A: a\nB: b\r\n\r\n`,
    400,
    'bad_request',
  ],
  [
    'a header of control bytes',
    `GET / HTTP/1.1\r\n${close}A: \x00\x01\r\n\r\n`,
    400,
    'bad_request',
  ],
  ['a header without a colon', `GET / HTTP/1.1\r\n${close}nothing\r\n\r\n`, 400, 'bad_request'],
  ['no HTTP at all', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400, 'bad_request'],
  ['another protocol', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'bad_request'],
  [
    'HTTP/1.1 without a host',
    'GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n',
    400,
    'bad_request',
  ],
  ['a method nobody has', `BREW / HTTP/1.1\r\n${close}\r\n`, 400, 'bad_request'],
])('error: %s', async (_name, text, status, code) => {
  const answer = await sendRaw(port, [Buffer.from(text, 'latin1')])
  expect(answer.statuses).toEqual([status])
  expect(codesOf(answer.text)).toEqual([code])
  expectNoTrace(answer.text)
  await expectHealthy()
})

test('error: the answer to an invalid HEAD has no body', async () => {
  const long = `HEAD /${'a'.repeat(20_000)} HTTP/1.1\r\n${close}\r\n`
  const answer = await sendRaw(port, [Buffer.from(long, 'latin1')])
  expect([answer.statuses, codesOf(answer.text)]).toEqual([[431], []])
})

test.each<[string, string, string]>([
  ['headers', 'GET /health/live HTTP/1.1\r\nHost: a\r\n', 'A: a\r\n'],
  [
    'a body',
    `POST /v2/tokens/price HTTP/1.1\r\nHost: a\r\n${key}Content-Length: 60000\r\n\r\n`,
    ' ',
  ],
  ['chunks', `POST /v2/tokens/price HTTP/1.1\r\nHost: a\r\n${key}${chunked}\r\n`, '1\r\n \r\n'],
])('error: a slow request times out: %s', async (_name, start, dripped) => {
  const { statuses, text } = await dripRaw(hastyPort, start, dripped)
  expect(statuses).toEqual([408])
  expect(codesOf(text)).toEqual(['bad_request'])
  await expectHealthy()
})

test('error: bytes that cannot be a method are refused without waiting for more', async () => {
  const { statuses, text } = await dripRaw(port, 'G', 'E')
  expect(statuses).toEqual([400])
  expect(codesOf(text)).toEqual(['bad_request'])
  await expectHealthy()
})

test('error: a refused client that does not close is disconnected', async () => {
  const { statuses } = await dripRaw(port, 'nothing\r\n\r\n', 'more', { allowHalfOpen: true })
  expect(statuses).toEqual([400])
})

test('error: a body over the limit is refused, with or without Content-Length', async () => {
  const head = `POST /v2/tokens/price HTTP/1.1\r\n${close}${key}`
  const piece = Buffer.alloc(100_000, 0x20)
  const length = `Content-Length: ${piece.length * 20}\r\n\r\n`
  const announced = await sendRaw(port, [`${head}${length}`, ...Array(20).fill(piece)])
  expect([announced.statuses, codesOf(announced.text)]).toEqual([[400], ['body_too_large']])
  const chunk = `${piece.length.toString(16)}\r\n${piece}\r\n`
  const inChunks = await sendRaw(port, [`${head}${chunked}\r\n`, chunk, '0\r\n\r\n'])
  expect([inChunks.statuses, codesOf(inChunks.text)]).toEqual([[400], ['body_too_large']])
  await expectHealthy()
})

test('behavior: the first of pipelined requests is answered, then the connection ends', async () => {
  const one = `GET ${main} HTTP/1.1\r\nHost: a\r\n${key}\r\n`
  const wrong = 'GET /v2/nothing HTTP/1.1\r\nHost: a\r\n\r\n'
  for (const behind of [one + wrong + one, 'nonsense\r\n\r\n']) {
    const { statuses, text } = await sendRaw(port, [one + behind])
    expect(statuses).toEqual([200])
    expect(text).toContain('"symbol":"WETH"')
  }
  await expectHealthy()
})

test('behavior: Connection: close and HTTP/1.0 end the connection after the answer', async () => {
  const closing = await sendRaw(port, [`GET ${main} HTTP/1.1\r\n${close}${key}\r\n`])
  expect(closing.statuses).toEqual([200])
  expect(closing.text.toLowerCase()).toContain('connection: close')
  const old = await sendRaw(port, [`GET ${main} HTTP/1.0\r\n${key}\r\n`])
  expect(old.statuses).toEqual([200])
  expect(old.text).toContain('"symbol":"WETH"')
})

test('behavior: Expect: 100-continue gets 100 Continue, other expectations are ignored', async () => {
  const head = `POST /v2/tokens/price HTTP/1.1\r\n${close}${key}Content-Length: ${prices.length}\r\n`
  const waiting = await sendRaw(port, [`${head}Expect: 100-continue\r\n\r\n${prices}`])
  expect(waiting.statuses).toEqual([100, 200])
  const strange = await sendRaw(port, [`${head}Expect: a-miracle\r\n\r\n${prices}`])
  expect(strange.statuses).toEqual([200])
})

test('behavior: a request target may be an absolute URL', async () => {
  const whole = (method: string, target: string) =>
    sendRaw(port, [`${method} ${target} HTTP/1.1\r\n${close}${key}\r\n`])
  expect((await whole('GET', `http://a${main}`)).statuses).toEqual([200])
  expect((await whole('GET', `HTTP://a:80${main}`)).statuses).toEqual([200])
  const other = await whole('DELETE', `http://a${main}`)
  expect([other.statuses, codesOf(other.text)]).toEqual([[405], ['method_not_allowed']])
  expect((await whole('GET', 'http://a')).statuses).toEqual([404])
  expect((await whole('GET', 'http://a?chain=local')).statuses).toEqual([404])
  expect((await whole('OPTIONS', '*')).statuses[0]).toBeGreaterThanOrEqual(400)
  expect((await whole('GET', 'ftp://a/b')).statuses[0]).toBeGreaterThanOrEqual(400)
  await expectHealthy()
})

test('behavior: the body of a request that offers an upgrade is read', async () => {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  let text = ''
  socket.on('data', (part) => {
    text += part
  })
  const statuses = () => [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status)
  const upgrades = ['h2c', 'websocket', 'h2c']
  for (const [index, upgrade] of upgrades.entries()) {
    const headers = `Connection: Upgrade\r\nUpgrade: ${upgrade}\r\n${key}`
    const length = `Content-Length: ${prices.length}\r\n`
    socket.write(`POST /v2/tokens/price HTTP/1.1\r\nHost: a\r\n${headers}${length}\r\n${prices}`)
    await until(`${upgrade} is answered`, () => statuses().length > index)
  }
  socket.destroy()
  expect(statuses()).toEqual(['200', '200', '200'])
})

test('behavior: CONNECT opens no tunnel', async () => {
  const { text } = await sendRaw(port, [`CONNECT a:80 HTTP/1.1\r\n${close}\r\n`])
  expect(text).not.toContain(' 200 ')
  await expectHealthy()
})

test('behavior: the body of a GET is skipped, and the next request is answered', async () => {
  const withBody = `GET ${main} HTTP/1.1\r\nHost: a\r\n${key}Content-Type: x\r\nContent-Length: 5\r\n\r\nhello`
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  for (const request of [withBody, `GET /health/live HTTP/1.1\r\n${close}\r\n`]) {
    socket.write(request)
    expect((await once(socket, 'data'))[0]).toContain(' 200 OK')
  }
  socket.destroy()
})

test('behavior: HEAD gets headers without a body, OPTIONS gets the allowed methods', async () => {
  const head = await sendRaw(port, [`HEAD ${main} HTTP/1.1\r\n${close}${key}\r\n`])
  expect(head.statuses).toEqual([200])
  expect(head.text.split('\r\n\r\n')[1]).toBe('')
  const options = await sendRaw(port, [`OPTIONS ${main} HTTP/1.1\r\n${close}\r\n`])
  expect(options.statuses).toEqual([405])
  expect(options.text.toLowerCase()).toContain('allow: get, head')
})

test('behavior: any Content-Type and any host name are accepted', async () => {
  for (const type of ['application/json', 'strange', '', ';;;', 'text/plain; charset="'])
    for (const host of ['a', 'example.org:1', '[::1]']) {
      const head = `POST /v2/tokens/price HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${key}`
      const length = `Content-Length: ${prices.length}\r\n`
      const answer = await sendRaw(port, [`${head}Content-Type: ${type}\r\n${length}\r\n${prices}`])
      expect([type, answer.statuses]).toEqual([type, [200]])
    }
})

test('behavior: a pending request is answered while the server closes', async () => {
  const { asked, release, loadHistoryStart } = heldRead()
  const slow = createServedMarket({ store: { loadHistoryStart } })
  fillMarket(slow.chain)
  const slowPort = Number(new URL(await slow.server.listen({ host: '127.0.0.1', port: 0 })).port)
  const answer = sendRaw(slowPort, [`GET /v2/status HTTP/1.1\r\nHost: a\r\n${key}\r\n`])
  await asked
  const closed = slow.server.close()
  release()
  expect((await answer).statuses).toEqual([200])
  await closed
})

/** A read of the store that the test answers with `release`. */
function heldRead() {
  const asked = new EventEmitter()
  const answer = new EventEmitter()
  return {
    asked: once(asked, 'asked'),
    release: () => answer.emit('answer'),
    async loadHistoryStart() {
      asked.emit('asked')
      await once(answer, 'answer')
      return 1
    },
  }
}
