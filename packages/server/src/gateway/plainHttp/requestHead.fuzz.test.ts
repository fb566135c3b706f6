// What is read here must be what Node's own parser reads: two readings of one request is how requests are smuggled.
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { Duplex } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readHead } from './requestHead.ts'

/** What Node makes of the bytes; null: no request. */
async function readByNode(bytes: Buffer): Promise<IncomingMessage | null> {
  const server = createServer({ requireHostHeader: false })
  const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() })
  const read = Promise.race([
    once(server, 'request').then(([request]) => request as IncomingMessage),
    once(server, 'upgrade').then(() => null),
    once(server, 'connect').then(() => null),
    once(server, 'clientError').then(() => null),
    once(server, 'checkContinue').then(() => null),
    once(server, 'checkExpectation').then(() => null),
    once(socket, 'close').then(() => null),
  ])
  server.emit('connection', socket)
  socket.push(bytes)
  socket.push(null)
  const request = await read
  socket.destroy()
  return request
}

const field = fc.constantFrom(
  ...[
    'Host: b',
    'X-API-KEY: ct_1',
    'x-api-key:a',
    'Accept: */*',
    'A: b, c;d="e"',
    'A:',
    'TE: trailers',
  ],
  ...[
    'Connection: keep-alive',
    'connection:Keep-Alive',
    'Connection: close',
    'Connection: Upgrade',
  ],
  ...['Content-Length: 2', 'content-length:02', 'Transfer-Encoding: chunked', 'Upgrade: h2c'],
  ...[
    'Expect: 100-continue',
    'Expect: a',
    'Trailer: A',
    'Keep-Alive: timeout=5',
    'Content-Length: 0',
  ],
)
const target = fc.constantFrom('/', '/a?b=%20', '/a#b', '//', '/v2/tokens/main?chain=local')
const wellFormed = fc
  .tuple(fc.boolean(), target, fc.uniqueArray(field, { maxLength: 4 }))
  .map(([isPost, path, fields]) => {
    const lines = isPost ? [`POST ${path} HTTP/1.1`] : [`GET ${path} HTTP/1.1`]
    lines.push('Host: h', ...(isPost ? ['Content-Length: 2'] : []), ...fields)
    return `${lines.join('\r\n')}\r\n\r\n`
  })
const change = fc.record({
  at: fc.nat({ max: 200 }),
  removed: fc.nat({ max: 2 }),
  added: fc.constantFrom(
    ...[
      '',
      '\r',
      '\n',
      '\r\n',
      '\r\n ',
      ' ',
      '\t',
      ':',
      '\0',
      '\x7f',
      '\x80',
      '\xe9',
      '"',
      '(',
      '-',
      ',',
      'a',
      '0',
    ],
  ),
})
/** Requests that most clients would send, and those with one or two bytes of them changed. */
const request = fc.tuple(wellFormed, fc.array(change, { maxLength: 2 })).map(([text, changes]) =>
  changes.reduce((changed, { at, removed, added }) => {
    const place = at % changed.length
    return changed.slice(0, place) + added + changed.slice(place + removed)
  }, text),
)

test('behavior: whatever is read here, Node reads the same', async () => {
  let readCount = 0
  await fc.assert(
    fc.asyncProperty(request, async (text) => {
      const bytes = Buffer.from(`${text}{}`, 'latin1')
      const head = readHead(bytes, 0)
      if (head === null) return
      readCount += 1
      const byNode = await readByNode(bytes)
      expect(byNode).not.toBe(null)
      const { method, url, headers, httpVersion } = byNode!
      expect({ method, url, key: headers['x-api-key'], httpVersion }).toEqual({
        ...{ method: head.method, url: head.target, key: head.apiKey, httpVersion: '1.1' },
      })
      expect(headers.host).toBeDefined()
      expect(Number(headers['content-length'] ?? 0)).toBe(head.bodyBytes)
    }),
    { numRuns: 5_000 },
  )
  expect(readCount).toBeGreaterThan(500)
})
