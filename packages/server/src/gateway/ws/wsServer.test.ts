import { request } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { until } from '../../../../../test/support/until.ts'
import { pushOf } from '../../../../../test/support/wsFeed.ts'
import {
  holderOf,
  keysOf,
  planWithoutLimits,
  rpc,
  startWsService,
  type WsService,
  type WsServiceOptions,
} from '../../../../../test/support/wsService.ts'
import { RequestError } from '../ground/errors.ts'
import type { SocketCaller } from '../keys/keySockets.ts'

let service: WsService

async function start(options?: WsServiceOptions): Promise<WsService> {
  service = await startWsService(options)
  return service
}

afterEach(() => service.stop())

test('default: a client subscribes, gets an acknowledgement and pushes, and unsubscribes', async () => {
  const { connect, feed } = await start()
  const client = await connect()
  expect(await client.call(rpc('subscribe', ['tx', 'pair', 'local'], 7))).toEqual({
    jsonrpc: '2.0',
    id: 7,
    result: { status: 'ok', subscribed: [['pair', 'local']], rejected: [] },
  })
  feed.publish('tx:pair-local', pushOf(1))
  feed.publish('tx:pair-local', pushOf(2))
  expect(await client.next()).toEqual({ id: 7, jsonrpc: '2.0', result: { n: 1, pad: '' } })
  expect(await client.next()).toMatchObject({ id: 7, result: { n: 2 } })
  expect(await client.call(rpc('unsubscribe', ['tx', 'pair', 'local'], 8))).toEqual({
    jsonrpc: '2.0',
    id: 8,
    result: { status: 'ok', unsubscribed: [['pair', 'local']], rejected: [] },
  })
  expect(feed.subscriberCount()).toBe(0)
})

test('behavior: both paths accept the key in the header or query, and ignore other parameters', async () => {
  const { connect } = await start()
  const clients = [
    await connect('/', { headers: { 'X-API-KEY': 'key' } }),
    await connect('/ws', { headers: { 'x-api-key': 'key' } }),
    await connect('/?other=1&api_key=key'),
    await connect('/ws?api_key=key&api_key=second'),
    await connect('/?api_key=wrong', { headers: { 'X-API-KEY': 'key' } }),
  ]
  for (const client of clients)
    expect(await client.call(rpc('ping'))).toMatchObject({ result: 'pong' })
})

test('error: other paths get an HTTP 404', async () => {
  const { port } = await start()
  const { status, body } = await new Promise<{ status?: number; body: string }>((resolve) => {
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    }
    request({ port, host: '127.0.0.1', path: '/v2/ws', headers }, (response) => {
      let text = ''
      response.on('data', (chunk) => (text += chunk))
      response.on('end', () => resolve({ status: response.statusCode!, body: text }))
    }).end()
  })
  expect(status).toBe(404)
  expect(JSON.parse(body)).toMatchObject({ status: 0, error: { code: 'not_found' } })
})

test.each([
  ['/', 'Missing API Key'],
  ['/?api_key=', 'Missing API Key'],
  ['/?api_key=nobody', 'Unauthorized'],
  ['/?api_key=expired', 'API key expired'],
  ['/?api_key=revoked', 'Unauthorized'],
  ['/?api_key=rest', 'Unauthorized'],
])('error: %s gets the message "%s" and is closed', async (path, message) => {
  const expired = holderOf(2)
  expired.ended = 'expired_key'
  const revoked = holderOf(3)
  revoked.ended = 'invalid_key'
  const rest = holderOf(4, { ...planWithoutLimits, socketsMax: 0 })
  const { connect, server } = await start({ keys: keysOf({ expired, revoked, rest }) })
  const client = await connect(path)
  expect(await client.next()).toEqual({ error: { code: -1, message } })
  expect(await client.closed).toEqual({ code: 1008, reason: message })
  await until('the socket is gone', () => server.stats().sockets === 0)
})

test('error: while keys cannot be checked, sockets are closed with 1013', async () => {
  const { connect } = await start({
    keys: { identify: () => Promise.reject(new RequestError('unavailable', 'Down.')) },
  })
  const client = await connect()
  expect(await client.next()).toMatchObject({ error: { code: -32003 } })
  expect((await client.closed).code).toBe(1013)
})

test('error: a key over its sockets is refused until a socket closes', async () => {
  const keys = keysOf({
    key: holderOf(1, { ...planWithoutLimits, socketsMax: 2 }),
    other: holderOf(2, { ...planWithoutLimits, socketsMax: 2 }),
  })
  const { connect, server } = await start({ keys })
  const first = await connect()
  await connect()
  await connect('/?api_key=other')
  const third = await connect()
  expect(await third.next()).toEqual({ error: { code: -1, message: 'Too Many Connections' } })
  expect(await third.closed).toEqual({ code: 1008, reason: 'Too Many Connections' })
  first.webSocket.close()
  await first.closed
  await until('one socket is gone', () => server.stats().sockets === 2)
  const fourth = await connect()
  expect(await fourth.call(rpc('ping'))).toMatchObject({ result: 'pong' })
})

test('error: a server over its sockets answers 503', async () => {
  const { connect } = await start({ limits: { socketsMax: 1 } })
  await connect()
  await expect(connect()).rejects.toThrow('503')
})

test('behavior: messages sent while the key is looked up are answered after it, in order', async () => {
  let admit: (holder: SocketCaller) => void = () => {}
  const { connect } = await start({
    keys: { identify: () => new Promise((resolve) => (admit = resolve)) },
  })
  const client = await connect()
  for (let id = 1; id <= 500; id++) client.send(rpc('ping', [], id))
  await until('all is sent', () => client.webSocket.bufferedAmount === 0)
  expect(client.messages).toEqual([])
  admit(holderOf(1))
  for (let id = 1; id <= 500; id++) expect(await client.next()).toMatchObject({ id })
})

test.each([
  ['expired_key', 'API key expired'],
  ['invalid_key', 'Unauthorized'],
] as const)('behavior: a key that ends (%s) closes its own sockets only', async (end, message) => {
  const holder = holderOf(1)
  const { connect, feed } = await start({ keys: keysOf({ key: holder, other: holderOf(2) }) })
  const clients = [await connect(), await connect()]
  const other = await connect('/?api_key=other')
  for (const client of [...clients, other]) await client.call(rpc('subscribe', ['tx', 'a', 'b']))
  holder.ended = end
  for (const client of clients) {
    expect(await client.next()).toEqual({ error: { code: -1, message } })
    expect(await client.closed).toEqual({ code: 1008, reason: message })
  }
  await until('its subscriptions are gone', () => feed.subscriberCount() === 1)
  feed.publish('tx:a-b', pushOf(1))
  expect(await other.next()).toMatchObject({ result: { n: 1 } })
})

test('behavior: shutdown sends what is queued, closes with 4000 and refuses new sockets', async () => {
  const { connect, feed, server } = await start()
  const client = await connect()
  await client.call(rpc('subscribe', ['tx', 'a', 'b']))
  feed.publish('tx:a-b', pushOf(1))
  const isClosed = server.close()
  expect(await client.next()).toMatchObject({ result: { n: 1 } })
  expect(await client.closed).toEqual({ code: 4000, reason: 'Server is shutting down' })
  await isClosed
  expect(server.stats()).toMatchObject({ sockets: 0, subscriptions: 0 })
})

test('behavior: shutdown disconnects a client that does not confirm the close', async () => {
  const { connect, server } = await start({ limits: { closeMsMax: 30 } })
  const client = await connect()
  client.webSocket.pause()
  await server.close()
  expect(server.stats().sockets).toBe(0)
})

test('behavior: the server ticks the feed and updates the metrics', async () => {
  const { connect, feed, metrics } = await start()
  const client = await connect()
  await client.call(rpc('subscribe', ['tx', 'a', 'b']))
  feed.publish('tx:a-b', pushOf(1))
  await client.next()
  const ticks = feed.ticks
  await until('two ticks passed', () => feed.ticks > ticks + 1)
  const text = await metrics.registry.metrics()
  expect(text).toContain('chaintape_ws_sockets 1')
  expect(text).toContain('chaintape_ws_subscriptions 1')
  expect(text).toContain('chaintape_ws_pushes_total 1')
  expect(text).toContain('chaintape_ws_messages_total 1')
})
