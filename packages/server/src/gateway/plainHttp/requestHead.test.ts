import { expect, test } from 'vitest'
import { readHead } from './requestHead.ts'

const read = (text: string, from = 0) => readHead(Buffer.from(text, 'latin1'), from)

test('default', () => {
  const head = 'GET /v2/tokens/main?chain=local HTTP/1.1\r\nHost: a\r\nX-API-KEY: ct_1\r\n\r\n'
  expect(read(head)).toEqual({
    ...{ method: 'GET', target: '/v2/tokens/main?chain=local', apiKey: 'ct_1', bodyBytes: 0 },
    endAt: head.length,
  })
})

test('behavior: begins anywhere and looks no further than the head', () => {
  const head = 'POST /p HTTP/1.1\r\nhost:a\r\nCONTENT-LENGTH: 12\r\nconnection: Keep-Alive\r\n\r\n'
  expect(read(`xyz${head}GET \0`, 3)).toEqual({
    ...{ method: 'POST', target: '/p', apiKey: undefined, bodyBytes: 12, endAt: 3 + head.length },
  })
})

test('behavior: every head that is cut short is left alone', () => {
  const head = 'POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n'
  for (let length = 0; length < head.length; length += 1)
    expect(read(head.slice(0, length))).toBe(null)
  expect(read(head)).not.toBe(null)
})

const get = (fields: string, line = 'GET / HTTP/1.1') => `${line}\r\nHost: a\r\n${fields}\r\n`

test.each([
  ['another method', get('', 'PUT / HTTP/1.1')],
  ['a method in lower case', get('', 'get / HTTP/1.1')],
  ['HEAD', get('', 'HEAD / HTTP/1.1')],
  ['another version', get('', 'GET / HTTP/1.0')],
  ['a whole address', get('', 'GET http://a/ HTTP/1.1')],
  ['two spaces', get('', 'GET  / HTTP/1.1')],
  ['a target beyond ASCII', get('', 'GET /\xe9 HTTP/1.1')],
  ['a line feed alone', 'GET / HTTP/1.1\nHost: a\n\n'],
  ['a carriage return alone', get('A: b\rC: d\r\n')],
  ['no host', 'GET / HTTP/1.1\r\nA: b\r\n\r\n'],
  ['two hosts', get('Host: b\r\n')],
  ['a folded line', get('A: b\r\n c\r\n')],
  ['a space before the colon', get('A : b\r\n')],
  ['no name', get(': b\r\n')],
  ['no colon', get('A\r\n')],
  ['a value beyond ASCII', get('A: \xe9\r\n')],
  ['a NUL', get('A: \0\r\n')],
  ['a key twice', get('X-API-KEY: a\r\nX-API-KEY: b\r\n')],
  ['a key with a space behind', get('X-API-KEY: a \r\n')],
  ['a key with spaces before', get('X-API-KEY:  a\r\n')],
  ['chunks', get('Transfer-Encoding: chunked\r\n')],
  ['an expectation', get('Expect: 100-continue\r\n')],
  ['an origin', get('Origin: http://a\r\n')],
  ['an upgrade', get('Upgrade: websocket\r\n')],
  ['a trailer', get('Trailer: A\r\n')],
  ['a connection that closes', get('Connection: close\r\n')],
  ['a connection with options', get('Connection: keep-alive, Upgrade\r\n')],
  ['a GET with a body', get('Content-Length: 1\r\n')],
  ['a GET with a body of nothing', get('Content-Length: 0\r\n')],
  ['a POST without a length', get('', 'POST / HTTP/1.1')],
  ['a length twice', get('Content-Length: 1\r\nContent-Length: 1\r\n', 'POST / HTTP/1.1')],
  ['a signed length', get('Content-Length: +1\r\n', 'POST / HTTP/1.1')],
  ['an empty length', get('Content-Length: \r\n', 'POST / HTTP/1.1')],
  ['a length of many digits', get('Content-Length: 000000001\r\n', 'POST / HTTP/1.1')],
  ['a list of lengths', get('Content-Length: 1, 1\r\n', 'POST / HTTP/1.1')],
  ['a head that is very long', get('A: b\r\n'.repeat(2_000))],
])('behavior: %s is left to Node', (_, text) => {
  expect(read(text)).toBe(null)
})
