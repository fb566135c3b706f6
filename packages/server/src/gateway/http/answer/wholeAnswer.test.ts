// An answer sent in one write must equal, byte for byte, the answer that Node itself would send.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { answerHead, canSendInOneWrite, keepAliveMs, sendInOneWrite } from './wholeAnswer.ts'

const fields = ['x-cu-cost', '5', 'content-type', 'application/json; charset=utf-8']

/**
 * Answers `/whole/LENGTH` in one write where possible, and every other path through Node. The path
 * sets the length of the body.
 */
async function listening() {
  const outcomes: string[] = []
  const server = createServer({ keepAliveTimeout: keepAliveMs }, (request, response) => {
    const [, way, length] = (request.url ?? '').split('/')
    const body = Buffer.alloc(Number(length), way === 'whole' || way === 'node' ? 'a' : 'b')
    const all = [...fields, 'content-length', `${body.length}`]
    if (way === 'whole' && canSendInOneWrite(request, response)) {
      const isTaken = sendInOneWrite(
        response,
        Buffer.concat([Buffer.from(answerHead(200, all)), body]),
      )
      outcomes.push(isTaken ? 'taken' : 'waiting')
    } else {
      response.writeHead(200, all)
      response.end(body)
      outcomes.push('node')
    }
  })
  onTestFinished(() => void server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, outcomes }
}

/** Returns everything received until the server ends the connection. */
async function sent(socket: Socket): Promise<string> {
  let text = ''
  for await (const chunk of socket.setEncoding('latin1')) text += chunk
  return text
}

const withoutDate = (text: string) => text.replace(/^Date: .* GMT\r\n/gm, '')

test('default: the bytes equal those of Node, and the connection stays open', async () => {
  const { port, outcomes } = await listening()
  const texts: string[] = []
  for (const way of ['whole', 'node']) {
    const socket = connect(port, '127.0.0.1')
    socket.write(`GET /${way}/20 HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(2))
    socket.write(`GET /${way}/20 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    texts.push(await sent(socket))
  }
  expect(withoutDate(texts[0]!)).toBe(withoutDate(texts[1]!))
  expect(texts[0]!.match(/^Date: .* GMT\r$/gm)).toHaveLength(3)
  // A pipelined request has no socket yet when it is answered, and the last request closes the
  // connection: Node sends both.
  expect(outcomes).toEqual(['taken', 'node', 'node', 'node', 'node', 'node'])
})

test.each([
  ['HEAD', 'HEAD /whole/20 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
  ['HTTP/1.0', 'GET /whole/20 HTTP/1.0\r\n\r\n'],
  ['HTTP/1.0 that goes on', 'GET /whole/20 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n'],
])('behavior: Node itself answers %s', async (_, request) => {
  const { port, outcomes } = await listening()
  const socket = connect(port, '127.0.0.1')
  socket.write(request)
  await once(socket, 'data')
  socket.destroy()
  expect(outcomes).toEqual(['node'])
})

test('behavior: a slow reader gets the whole answer before the next answer', async () => {
  const { port, outcomes } = await listening()
  const length = 16_777_216
  const socket = connect(port, '127.0.0.1')
  socket.pause()
  socket.write(`GET /whole/${length} HTTP/1.1\r\nHost: a\r\n\r\n`)
  socket.write('GET /other/20 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  while (outcomes.length === 0) await new Promise(setImmediate)
  expect(outcomes[0]).toBe('waiting')
  const text = await sent(socket)
  const [, body = ''] = text.split('\r\n\r\n')
  expect(body.startsWith('a'.repeat(length))).toBe(true)
  expect(body.slice(length)).toMatch(/^HTTP\/1.1 200 OK/)
  expect(text.endsWith('b'.repeat(20))).toBe(true)
})
