// Answers and limits of HTTP connections, over real sockets.
import { EventEmitter, once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { sendRaw } from '../../../../../test/support/rawHttp.ts'
import {
  type AnswerReadLimits,
  createHttpConnections,
  type HttpConnections,
} from './connections.ts'

const open: { server: Server; connections: HttpConnections }[] = []
afterEach(() => {
  for (const { server, connections } of open.splice(0)) {
    connections.close()
    server.close()
    server.closeAllConnections()
  }
})

type Asked = { path: string; response: ServerResponse }

/** Opens a server whose requests the test answers. */
async function listening(limits: Partial<AnswerReadLimits> = {}, onAsked?: (asked: Asked) => void) {
  const asked: Asked[] = []
  let parsed = 0
  const connections = createHttpConnections(
    (request, response) => {
      const one = { path: request.url ?? '', response }
      asked.push(one)
      onAsked?.(one)
    },
    { sendMsMax: 3_600_000, unsentBytesMax: 1e9, ...limits },
  )
  const server = createServer()
  connections.attach(server)
  server.on('request', () => {
    parsed += 1
  })
  open.push({ server, connections })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { server, connections, port, asked, parsed: () => parsed }
}

const get = (path: string, fields = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`

/** Waits for a condition, checked at every iteration of the event loop. */
async function turnsUntil(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(setImmediate)
}

/** Returns everything received on a connection until it ended. */
function textOf(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk
  })
  // The server may end the connection while the client still writes.
  socket.on('error', () => undefined)
  return once(socket, 'close').then(() => text)
}

test('default: a client that pipelines gets its first answer, then the connection ends', async () => {
  const { port, asked, parsed } = await listening()
  const socket = connect(port, '127.0.0.1')
  const text = textOf(socket)
  // More bytes than Node reads at once.
  socket.write(Array.from({ length: 20_000 }, (_, at) => get(`/${at}`)).join(''))
  await turnsUntil(() => asked.length > 0)
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate)
  expect([asked.map(({ path }) => path), parsed()]).toEqual([['/0'], 1])
  asked[0]!.response.end('answer')
  expect(await text).toMatch(/^HTTP\/1\.1 200 OK\r\nconnection: close\r\n[\s\S]*answer/i)
  expect((await text).match(/HTTP\/1\.1/g)).toHaveLength(1)
  expect(asked).toHaveLength(1)
})

test('behavior: pipelining also ends the connection when the head of the answer was already sent', async () => {
  const { port, asked } = await listening()
  const socket = connect(port, '127.0.0.1')
  const text = textOf(socket)
  socket.write(get('/a'))
  await turnsUntil(() => asked.length === 1)
  const { response } = asked[0]!
  response.write('first, ')
  await once(socket, 'data')
  socket.write(get('/b'))
  await turnsUntil(() => response.socket!.isPaused())
  response.end('second')
  expect(await text).toMatch(/first, [\s\S]*second/)
  expect(asked).toHaveLength(1)
})

test('behavior: a client that waits for each answer keeps its connection', async () => {
  const { port, asked } = await listening({}, ({ path, response }) => response.end(`<${path}>`))
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  for (const path of ['/a', '/b', '/c']) {
    socket.write(get(path))
    const [answer] = (await once(socket, 'data')) as [string]
    expect(answer.toLowerCase()).toContain('connection: keep-alive')
    expect(answer).toContain(`<${path}>`)
  }
  expect(asked).toHaveLength(3)
  socket.destroy()
})

test('behavior: a body is read to its end, a pipelined request is not read', async () => {
  const { port, asked } = await listening({}, ({ response }) => {
    let bytes = 0
    response.req.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    response.req.on('end', () => response.end(`<${bytes}>`))
  })
  const body = 'x'.repeat(200_000)
  const post = `POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const { text } = await sendRaw(port, [post + get('/b').repeat(1_000)])
  expect(text.match(/<\d+>/g)).toEqual(['<200000>'])
  expect(asked.map(({ path }) => path)).toEqual(['/a'])
})

test('behavior: empty lines before a request are not parsed one by one', () => {
  let slices = 0
  const socket = Object.assign(new EventEmitter(), { isPaused: () => false })
  socket.on('data', () => {
    slices += 1
  })
  const server = new EventEmitter()
  const connections = createHttpConnections(() => undefined, {
    sendMsMax: 1e6,
    unsentBytesMax: 1e9,
  })
  connections.attach(server as Server)
  server.emit('connection', socket)
  socket.emit('data', Buffer.from('\r\n'.repeat(30_000)))
  expect(slices).toBeLessThan(60)
  connections.release(socket)
  connections.close()
})

test('behavior: invalid bytes after a request end the connection once the request is answered', async () => {
  const { port, asked } = await listening({}, ({ response }) => response.end('good'))
  const { statuses } = await sendRaw(port, [`${get('/a')}nonsense\r\n\r\n${get('/b').repeat(100)}`])
  expect(statuses).toEqual([200])
  expect(asked.map(({ path }) => path)).toEqual(['/a'])
})

test('behavior: a client that does not read is disconnected, and has one answer under way until then', async () => {
  // More bytes than any kernel buffers.
  const answer = Buffer.alloc(100_000_000)
  const { port, asked } = await listening({ sendMsMax: 200 }, ({ response }) =>
    response.end(answer),
  )
  const socket = connect(port, '127.0.0.1').pause()
  socket.on('error', () => undefined)
  socket.write(get('/').repeat(500))
  await turnsUntil(() => asked.length === 1)
  await once(asked[0]!.response, 'close')
  expect(asked).toHaveLength(1)
  let bytes = 0
  socket.on('data', (chunk) => {
    bytes += chunk.length
  })
  socket.resume()
  await once(socket, 'close')
  expect(bytes).toBeLessThan(answer.length)
})

test('behavior: over the limit of unread bytes, clients that have waited longest are disconnected', async () => {
  // Far beyond the few megabytes that the kernel buffers per socket, which must not decide how many
  // clients are disconnected.
  const answer = Buffer.alloc(100_000_000)
  const { port, asked } = await listening(
    { sendMsMax: 3_600_000, unsentBytesMax: 250_000_000 },
    ({ response }) => response.end(answer),
  )
  const sockets: Socket[] = []
  for (let at = 0; at < 4; at += 1) {
    const socket = connect(port, '127.0.0.1').pause()
    socket.on('error', () => undefined)
    socket.write(get(`/${at}`))
    sockets.push(socket)
    await turnsUntil(() => asked.length === at + 1)
  }
  const isGone = () => asked.filter(({ response }) => response.destroyed).map(({ path }) => path)
  await turnsUntil(() => isGone().length >= 2)
  expect(isGone()).toHaveLength(2)
  for (const socket of sockets) socket.destroy()
})

test('behavior: closing the server ends each connection after its current answer', async () => {
  const { port, connections, server, asked } = await listening()
  const [first, unused] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
  const opened = once(server, 'connection')
  const text = textOf(first)
  await Promise.all([once(unused, 'connect'), opened])
  first.write(get('/a'))
  await turnsUntil(() => asked.length === 1)
  const closed = once(server, 'close')
  server.close()
  connections.close()
  asked[0]!.response.end('answer')
  expect(await text).toContain('answer')
  await closed
})
