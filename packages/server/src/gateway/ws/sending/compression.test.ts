import { createHash } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { openRawWebSocket } from '../../../../../../test/support/rawWebSocket.ts'
import { until } from '../../../../../../test/support/until.ts'
import { pushOf } from '../../../../../../test/support/wsFeed.ts'
import { rpc, startWsService, type WsService } from '../../../../../../test/support/wsService.ts'

let service: WsService

afterEach(() => service.stop())

test('behavior: one compressed push reaches readers with and without compression', async () => {
  service = await startWsService({ isCompressionEnabled: true })
  const clients = [
    await service.connect(undefined, { perMessageDeflate: true }),
    await service.connect(undefined, { perMessageDeflate: { serverMaxWindowBits: 10 } }),
    await service.connect(undefined, { perMessageDeflate: false }),
  ]
  expect(clients.map(({ webSocket }) => webSocket.extensions)).toEqual([
    'permessage-deflate',
    'permessage-deflate',
    '',
  ])
  for (const [index, client] of clients.entries())
    await client.call(rpc('subscribe', ['tx', 'a', 'x'], 1_000 * index))
  const { bytesSent } = service.server.stats()
  // Padding of the pushes, from empty to large; several leave in one tick.
  const sizes = [0, 10, 300, 900, 5_000, 70_000, 200_000]
  for (const [n, padBytes] of sizes.entries())
    service.feed.publish('tx:a-x', pushOf(n, { padBytes }))
  for (const [index, client] of clients.entries())
    for (const [n, padBytes] of sizes.entries())
      expect(await client.next()).toEqual({
        id: 1_000 * index,
        jsonrpc: '2.0',
        result: { n, pad: 'x'.repeat(padBytes) },
      })
  const plainBytes = sizes.reduce((sum, size) => sum + size, 0)
  expect(service.server.stats().bytesSent - bytesSent).toBeLessThan(2.1 * plainBytes)
  // The server reads messages that the client compressed.
  for (const client of clients)
    expect(await client.call(rpc('ping', ['y'.repeat(5_000)]))).toMatchObject({ result: 'pong' })
})

test('behavior: a client with a small window gets uncompressed pushes', async () => {
  service = await startWsService({ isCompressionEnabled: true })
  const small = await service.connect(undefined, {
    perMessageDeflate: { serverMaxWindowBits: 9 },
  })
  const large = await service.connect(undefined, { perMessageDeflate: true })
  // The text repeats itself only at a distance beyond the small window.
  const noise = createHash('shake256', { outputLength: 4_000 }).update('noise').digest('hex')
  const plain = Buffer.from(`,"result":{"pad":"${noise}${noise}"}}`)
  for (const client of [small, large]) await client.call(rpc('subscribe', ['tx', 'a', 'x'], 1))
  const { bytesSent } = service.server.stats()
  service.feed.publish('tx:a-x', { ...pushOf(1), plain })
  for (const client of [small, large])
    expect(await client.next()).toEqual({ id: 1, result: { pad: noise + noise } })
  // One of the two clients got the push uncompressed.
  const sent = service.server.stats().bytesSent - bytesSent
  expect(sent).toBeGreaterThan(plain.length)
  expect(sent).toBeLessThan(1.8 * plain.length)
})

test('behavior: control frames may come between compressed pushes', async () => {
  service = await startWsService({ isCompressionEnabled: true, limits: { pingMs: 1 } })
  const client = await service.connect(undefined, { perMessageDeflate: true })
  await client.call(rpc('subscribe', ['tx', 'a', 'x'], 1))
  let pongs = 0
  client.webSocket.on('pong', () => {
    pongs += 1
  })
  for (let n = 0; n < 200; n++) {
    service.feed.publish('tx:a-x', pushOf(n, { padBytes: 900 }))
    client.webSocket.ping(`${n}`)
    expect(await client.next()).toMatchObject({ id: 1, result: { n } })
  }
  await until('a pong came', () => pongs > 0)
})

test('behavior: compression is off by default, even if a client offers it', async () => {
  service = await startWsService()
  const client = await service.connect(undefined, { perMessageDeflate: true })
  expect(client.webSocket.extensions).toBe('')
})

test('behavior: the server negotiates no context takeover', async () => {
  service = await startWsService({ isCompressionEnabled: true })
  const headers: string[] = []
  const client = await service.connect(undefined, {
    perMessageDeflate: true,
    finishRequest(request) {
      request.on('upgrade', (response) =>
        headers.push(String(response.headers['sec-websocket-extensions'])),
      )
      request.end()
    },
  })
  expect(headers[0]).toContain('server_no_context_takeover')
  expect(client.webSocket.extensions).toBe('permessage-deflate')
})

test('error: a small message that inflates beyond the size limit closes the connection', async () => {
  service = await startWsService({
    isCompressionEnabled: true,
    limits: { messageBytesMax: 100_000 },
  })
  const client = await service.connect(undefined, { perMessageDeflate: { threshold: 0 } })
  client.send(' '.repeat(10_000_000))
  expect((await client.closed).code).toBe(1009)
})

test('error: a compressed message with invalid deflate data closes the connection', async () => {
  service = await startWsService({ isCompressionEnabled: true })
  const client = await openRawWebSocket(service.port, {
    headers: 'Sec-WebSocket-Extensions: permessage-deflate\r\n',
  })
  client.send(Buffer.from([0xc1, 0x83, 0, 0, 0, 0, 0xff, 0xff, 0xff]))
  const frame = await client.next()
  expect([frame?.bits, frame?.payload.readUInt16BE(0)]).toEqual([0x88, 1007])
  client.socket.destroy()
})
