// Over real sockets: what a connection sends is parsed, answered and held in bounds, whoever it is.
import { EventEmitter, once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { sendRaw } from '../../../../../../test/support/rawHttp.ts'
import { refuseBytes } from './refuseBytes.ts'
import { headBytes, RequestLine, sliceBytesMin } from './requestLine.ts'
import { createRequestLines, type RequestLines, type SendLimits } from './requestLines.ts'

const open: { server: Server; lines: RequestLines }[] = []
afterEach(() => {
  for (const { server, lines } of open.splice(0)) {
    lines.close()
    server.close()
    server.closeAllConnections()
  }
})

type Asked = { path: string; response: ServerResponse }

/** Gives requests to the test, which answers them. */
async function listening(limits: Partial<SendLimits> = {}, onAsked?: (asked: Asked) => void) {
  const asked: Asked[] = []
  let parsed = 0
  const lines = createRequestLines(
    (request, response) => {
      const one = { path: request.url ?? '', response }
      asked.push(one)
      onAsked?.(one)
    },
    { sendMsMax: 3_600_000, unsentBytesMax: 1e9, ...limits },
  )
  const server = createServer((request, response) => {
    parsed += 1
    lines.enter(request, response)
  })
  server.on('clientError', (error: { code?: string }, socket) => {
    lines.stop(socket)
    refuseBytes(error, socket as Socket, { isHead: false })
  })
  lines.attach(server)
  open.push({ server, lines })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { server, lines, port, asked, parsed: () => parsed }
}

const get = (path: string, fields = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`

/** Waits until it is so, looking at every turn of the loop. */
async function turnsUntil(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(setImmediate)
}

test('default: a request is begun when the one before it is answered, and the rest not even parsed', async () => {
  const { port, asked, parsed, server } = await listening()
  const accepted = once(server, 'connection')
  const socket = connect(port, '127.0.0.1')
  const count = 2_000
  socket.write(Array.from({ length: count }, (_, at) => get(`/${at}`)).join(''))
  const [peer] = (await accepted) as [Socket]
  await turnsUntil(() => peer.isPaused())
  expect(asked.map(({ path }) => path)).toEqual(['/0'])
  expect(parsed()).toBe(1)
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk
  })
  for (let at = 0; at < count; at += 1) {
    await turnsUntil(() => asked.length > at)
    expect([asked.length, parsed()]).toEqual([at + 1, at + 1])
    asked[at]!.response.end(`body of ${asked[at]!.path};`)
  }
  await turnsUntil(() => text.endsWith(`body of /${count - 1};`))
  const bodies = [...text.matchAll(/body of \/(\d+);/g)].map(([, at]) => Number(at))
  expect(bodies).toEqual(Array.from({ length: count }, (_, at) => at))
  socket.destroy()
})

test('behavior: a body that comes behind a request is read in its turn', async () => {
  const body = 'x'.repeat(200_000)
  const { port, asked } = await listening({}, ({ response }) => {
    let bytes = 0
    response.req.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    response.req.on('end', () => response.end(`<${bytes}>`))
  })
  const post = `POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const { text } = await sendRaw(port, [get('/a') + post + get('/c', 'Connection: close\r\n')])
  expect(text.match(/<\d+>/g)).toEqual(['<0>', '<200000>', '<0>'])
  expect(asked.map(({ path }) => path)).toEqual(['/a', '/b', '/c'])
})

test('behavior: empty lines before a request are not looked through one by one', () => {
  let slices = 0
  const socket = Object.assign(new EventEmitter(), { isPaused: () => false })
  socket.on('data', () => {
    slices += 1
  })
  new RequestLine(
    socket as unknown as Socket,
    () => undefined,
    () => false,
  )
  socket.emit('data', Buffer.from('\r\n'.repeat(30_000)))
  expect(slices).toBeLessThan(60)
})

test('behavior: nothing behind bytes that are no HTTP is looked at', async () => {
  const { port, asked } = await listening({}, ({ response }) => response.end('good'))
  const { statuses } = await sendRaw(port, [`${get('/a')}nonsense\r\n\r\n${get('/b').repeat(100)}`])
  expect(statuses).toEqual([200, 400])
  expect(asked.map(({ path }) => path)).toEqual(['/a'])
})

test('behavior: who does not read its answer is cut off, and has one answer under way until then', async () => {
  // More than any kernel takes.
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

test('behavior: who has waited longest is cut off while too much waits for readers', async () => {
  // The kernel takes some megabytes of each; what it takes must not decide how many are cut off.
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

test('behavior: closing ends connections after what they have asked for', async () => {
  const { port, lines, server, asked } = await listening()
  const [first, second] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
  first.write(get('/a'))
  second.write(get('/b') + get('/c'))
  await turnsUntil(() => asked.length === 2)
  const closed = once(server, 'close')
  server.close()
  lines.close()
  for (let at = 0; at < 3; at += 1) {
    await turnsUntil(() => asked.length > at)
    asked[at]!.response.end()
  }
  await closed
  expect(asked.map(({ path }) => path).sort()).toEqual(['/a', '/b', '/c'])
})

test('behavior: a head is found where its end is', () => {
  const piece = fc.constantFrom(
    '\r',
    '\n',
    '\r\n',
    '\r\n\r\n',
    'a',
    'GET / HTTP/1.1',
    'x'.repeat(900),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const sent = Buffer.from(pieces.join(''))
      const end = sent.subarray(0, sliceBytesMin).indexOf('\r\n\r\n')
      expect(headBytes(sent)).toBe(end < 0 ? sliceBytesMin : end + 4)
    }),
  )
})
