import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Exchange } from './exchange.ts'
import { createOperationRouter, pathOf } from './router.ts'

/** Which operation a request goes to, and with which id; null: to none. */
function takenBy(method: string, url: string): string | null {
  const router = createOperationRouter()
  let taken: string | null = null
  const add = (kind: 'GET' | 'POST', path: string) =>
    router.add(kind, path, (_exchange, id) => {
      taken = `${kind} ${path} ${id}`
    })
  add('GET', '/v2/tokens')
  add('GET', '/v2/tokens/{token-id}')
  add('GET', '/v2/tokens/main')
  add('POST', '/v2/tokens/price')
  add('GET', '/v2/klines/pair/{pair-id}')
  const found = router.find(method, url)
  found?.handle({} as Exchange, found.id)
  return taken
}

test.each([
  ['GET', '/v2/tokens', 'GET /v2/tokens tokens'],
  ['GET', '/v2/tokens?a/b', 'GET /v2/tokens tokens'],
  ['GET', '/v2/tokens/main', 'GET /v2/tokens/main main'],
  ['HEAD', '/v2/tokens/main', 'GET /v2/tokens/main main'],
  ['POST', '/v2/tokens/price', 'POST /v2/tokens/price price'],
  ['GET', '/v2/tokens/0x1-eth?x=/y', 'GET /v2/tokens/{token-id} 0x1-eth'],
  ['GET', '/v2/tokens/', 'GET /v2/tokens/{token-id} '],
  ['GET', '/v2/klines/pair/a', 'GET /v2/klines/pair/{pair-id} a'],
  ['GET', '/v2/tokens/main#x', 'GET /v2/tokens/main main'],
  ['GET', 'http://a/v2/tokens/main?x', 'GET /v2/tokens/main main'],
  ['GET', 'HTTPS://a:1/v2/tokens/b', 'GET /v2/tokens/{token-id} b'],
])('default: %s %s', (method, url, taken) => {
  expect(takenBy(method, url)).toBe(taken)
})

test.each([
  ['POST', '/v2/tokens/main'],
  // A fixed name is no id.
  ['GET', '/v2/tokens/price'],
  ['HEAD', '/v2/tokens/pric%65'],
  ['DELETE', '/v2/tokens/main'],
  ['GET', '/v2/tokens/a/b'],
  ['GET', '/v2/tokens/main/'],
  ['GET', '//v2/tokens/main'],
  ['GET', '/V2/tokens/main'],
  ['GET', '/v2/klines/pair'],
  ['GET', '/'],
  ['GET', '*'],
  ['GET', ''],
  ['GET', 'v2/tokens/main'],
  ['GET', 'ftp://a/v2/tokens/main'],
  ['GET', 'http://a#/v2/tokens/main'],
  ['GET', 'http://[/v2/tokens/main'],
  ['GET', '/health/live'],
])('behavior: %s %s is nobody’s', (method, url) => {
  expect(takenBy(method, url)).toBe(null)
})

test('behavior: names may be percent-encoded, and an encoded slash is none', () => {
  expect(takenBy('GET', '/v2/tokens/%6dain')).toBe('GET /v2/tokens/main main')
  expect(takenBy('GET', '/v2/%74okens/main')).toBe('GET /v2/tokens/main main')
  expect(takenBy('GET', '/v2/tokens/a%2Fb')).toBe('GET /v2/tokens/{token-id} a/b')
  expect(takenBy('GET', '/v2/tokens/%2541')).toBe('GET /v2/tokens/{token-id} %41')
  expect(takenBy('GET', '/v2/tokens%2Fmain')).toBe(null)
})

test.each(['/v2/tokens/%zz', '/v2/tokens/%', '/v2/tokens/%ff', '/v2/%zz/main'])(
  'error: bad encoding is nobody’s: %s',
  (url) => {
    expect(takenBy('GET', url)).toBe(null)
  },
)

test('behavior: an id comes through as it was meant', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }), (id) => {
      fc.pre(id !== 'main')
      expect(takenBy('GET', `/v2/tokens/${encodeURIComponent(id)}`)).toBe(
        `GET /v2/tokens/{token-id} ${id}`,
      )
    }),
  )
})

test('behavior: the path of a target', () => {
  expect(pathOf('/a/b?c#d')).toBe('/a/b')
  expect(pathOf('/a#b?c')).toBe('/a')
  expect(pathOf('http://a')).toBe('')
  expect(pathOf('http://a?b/c')).toBe('')
  expect(pathOf('http://a/b?c')).toBe('/b')
})
