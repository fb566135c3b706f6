// Over real sockets, beside Node's own server, which answers what is not plain.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { sendRaw } from '../../../../../test/support/rawHttp.ts'
import type { Encoded } from '../encoded.ts'
import type { Exchange } from '../exchange.ts'
import { createNodeExchange } from '../nodeExchange.ts'
import { createOperationRouter } from '../operationRouter.ts'
import { createOutputBuffers } from '../outputBuffers.ts'
import { createPlainConnections } from './plainConnections.ts'

const open: Server[] = []
afterEach(() => {
  for (const server of open.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

type Asked = Exchange & { id: string }

/** Answers /at-once/{id}, /later/{id} (in another turn), /held/{id} (when told) and posts to /echo. */
async function listening(
  body: (id: string) => Encoded = (id) => JSON.stringify(id),
  requestMsMax = 30_000,
) {
  const outputs = createOutputBuffers()
  const router = createOperationRouter()
  const held: Asked[] = []
  const handled: string[] = []
  const give = (exchange: Exchange, id: string) =>
    exchange.answer(200, ['x-id', id], body(id), false)
  router.add('GET', '/at-once/{id}', (exchange, id) => {
    handled.push(id)
    give(exchange, id)
  })
  router.add('GET', '/later/{id}', (exchange, id) => setImmediate(() => give(exchange, id)))
  router.add('GET', '/held/{id}', (exchange, id) => held.push(Object.assign(exchange, { id })))
  router.add('POST', '/echo', (exchange) =>
    exchange.readBody(1_000, (_fault, bytes) =>
      exchange.answer(200, [], Buffer.from(bytes!).toString(), false),
    ),
  )
  const plain = createPlainConnections({
    ...{ router, outputs, bodyBytesMax: 1_000, requestMsMax, keepAliveMs: 60_000 },
  })
  let nodeCount = 0
  const server = createServer((request, response) => {
    nodeCount += 1
    const found = router.find(request.method!, request.url!)
    if (found === null) response.end('"nobody"')
    else found.handle(createNodeExchange(request, response, outputs), found.id)
  })
  plain.attach(server)
  open.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { server, port, plain, held, handled, give, nodeRequests: () => nodeCount }
}

const get = (path: string, fields = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`
const post = (body: string) =>
  `POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`
const bodiesOf = (text: string) => [...text.matchAll(/\r\n\r\n("[^"]*")/g)].map(([, body]) => body)

/** Collects what comes until a number of answers is there. */
function reader(socket: Socket) {
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk
  })
  return {
    text: () => text,
    async answers(count: number) {
      while (bodiesOf(text).length < count) await once(socket, 'data')
      return bodiesOf(text)
    },
  }
}

test('default', async () => {
  const { port, nodeRequests } = await listening()
  const socket = connect(port, '127.0.0.1')
  const { text, answers } = reader(socket)
  for (let round = 1; round <= 3; round += 1) {
    socket.write(get(`/at-once/${round}`))
    await answers(round)
  }
  socket.end()
  await once(socket, 'close')
  expect(bodiesOf(text())).toEqual(['"1"', '"2"', '"3"'])
  expect(text().split('HTTP/1.1 ')[1]).toMatch(
    /^200 OK\r\ncontent-type: application\/json; charset=utf-8\r\ncontent-length: 3\r\nx-id: 1\r\ndate: .+ GMT\r\nconnection: keep-alive\r\nkeep-alive: timeout=60\r\n\r\n"1"$/,
  )
  expect(nodeRequests()).toBe(0)
})

test('behavior: requests sent at once are answered in order, also by a peer that sends no more', async () => {
  const { port, nodeRequests } = await listening()
  const paths = Array.from(
    { length: 60 },
    (_, at) => `/${at % 3 === 0 ? 'later' : 'at-once'}/${at}`,
  )
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const { text } = reader(socket)
  socket.end(paths.map((path) => get(path)).join(''))
  await once(socket, 'close')
  expect(bodiesOf(text())).toEqual(paths.map((_, at) => `"${at}"`))
  expect(nodeRequests()).toBe(0)
})

test('behavior: a body may come byte by byte', async () => {
  const { port, nodeRequests } = await listening()
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const { answers } = reader(socket)
  const first = post('"one"')
  const headEnd = first.indexOf('"')
  socket.write(first.slice(0, headEnd))
  for (const byte of `${first.slice(headEnd)}`) {
    socket.write(byte)
    await new Promise(setImmediate)
  }
  expect(await answers(1)).toEqual(['"one"'])
  socket.write(post('"two"') + post('"three"').slice(0, -3))
  await answers(2)
  socket.write(post('"three"').slice(-3))
  expect(await answers(3)).toEqual(['"one"', '"two"', '"three"'])
  expect(nodeRequests()).toBe(0)
  socket.destroy()
})

test.each([
  ['another path', get('/nothing', 'Connection: close\r\n'), '"nobody"'],
  ['a wish to close', get('/at-once/b', 'Connection: close\r\n'), '"b"'],
  [
    'chunks',
    'POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\n"b"\r\n0\r\n\r\n',
    '"b"',
  ],
])('behavior: %s behind plain requests goes to Node’s server', async (_, last, body) => {
  const { port, nodeRequests } = await listening()
  for (const first of ['/at-once/a', '/later/a']) {
    const before = nodeRequests()
    const { text } = await sendRaw(port, [get(first) + last])
    expect(bodiesOf(text)[0]).toBe('"a"')
    expect(text).toContain(body)
    expect(nodeRequests()).toBe(before + 1)
  }
})

test('behavior: a head in two parts goes to Node’s server, which goes on with the connection', async () => {
  const { port, server, nodeRequests } = await listening()
  const accepted = once(server, 'connection')
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const [peer] = (await accepted) as [Socket]
  const { answers } = reader(socket)
  socket.write(get('/at-once/a'))
  await answers(1)
  const half = get('/at-once/b')
  const arrived = once(peer, 'data')
  socket.write(half.slice(0, 20))
  await arrived
  socket.write(half.slice(20))
  expect(await answers(2)).toEqual(['"a"', '"b"'])
  socket.write(get('/at-once/c'))
  expect(await answers(3)).toEqual(['"a"', '"b"', '"c"'])
  expect(nodeRequests()).toBe(2)
  socket.destroy()
})

test('error: nothing, or a body, that does not come in time', async () => {
  const { port } = await listening(undefined, 300)
  expect((await sendRaw(port, [])).statuses).toEqual([408])
  expect((await sendRaw(port, [post('"abc"').slice(0, -1)])).statuses).toEqual([408])
})

test('error: a peer that ends within a body', async () => {
  const { port } = await listening()
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const { text } = reader(socket)
  socket.end(post('"abc"').slice(0, -1))
  await once(socket, 'close')
  expect(text()).toContain('HTTP/1.1 400 ')
})

test('behavior: who does not read is answered no more than the socket holds', async () => {
  const { port, server, handled } = await listening((id) => JSON.stringify(id.padEnd(50_000, '.')))
  const accepted = once(server, 'connection')
  const socket = connect(port, '127.0.0.1').pause()
  const [peer] = (await accepted) as [Socket]
  let waitingBytesMax = 0
  const push = handled.push.bind(handled)
  handled.push = (id) => {
    waitingBytesMax = Math.max(waitingBytesMax, peer.writableLength)
    return push(id)
  }
  const count = 1_000
  for (let at = 0; at < count; at += 1) socket.write(get(`/at-once/${at}`))
  while (!peer.isPaused()) await new Promise(setImmediate)
  expect(handled.length).toBeLessThan(count)
  socket.resume()
  while (handled.length < count) await once(socket, 'data')
  expect(waitingBytesMax).toBeLessThan(peer.writableHighWaterMark)
  socket.destroy()
})

test('behavior: closing ends idle connections at once and others with their answers', async () => {
  const { port, server, plain, held, give } = await listening()
  const [idle, busy] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
  idle.write(get('/at-once/a'))
  await reader(idle).answers(1)
  const { text } = reader(busy)
  busy.write(get('/held/b') + get('/at-once/c'))
  while (held.length === 0) await new Promise(setImmediate)
  const closed = once(server, 'close')
  server.close()
  plain.close()
  await once(idle, 'close')
  give(held[0]!, 'b')
  await once(busy, 'close')
  await closed
  expect(bodiesOf(text())).toEqual(['"b"', '"c"'])
  expect(text().match(/connection: .+/g)).toEqual(['connection: keep-alive', 'connection: close'])
})

test('behavior: a peer that went away is answered nothing, and its buffers are used again', async () => {
  const { port, server, held, give } = await listening()
  const accepted = once(server, 'connection')
  const socket = connect(port, '127.0.0.1')
  socket.write(get('/held/a'))
  const [peer] = (await accepted) as [Socket]
  while (held.length === 0) await new Promise(setImmediate)
  const gone = new Promise((resolve) => peer.once('close', resolve))
  socket.resetAndDestroy()
  await gone
  give(held[0]!, 'a')
  expect(peer.bytesWritten).toBe(0)
})

test('behavior: an answer larger than every buffer', async () => {
  const size = 3_000_000
  const { port } = await listening((id) => JSON.stringify(id.padEnd(size, 'ÿ')))
  const response = await fetch(`http://127.0.0.1:${port}/at-once/a`)
  expect((await response.json()) as string).toHaveLength(size)
})
