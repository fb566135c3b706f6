import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Exchange } from './answer/exchange.ts'
import { createRouter, handlerOf, methodsOf, pathOf } from './router.ts'

/** Returns the handler that a request reaches, and its id; null if no handler matches. */
function takenBy(method: string, url: string): string | null {
  const router = createRouter()
  let taken: string | null = null
  const add = (kind: 'GET' | 'POST', path: string) =>
    router.add(kind, path, () => {
      taken = `${kind} ${path}`
    })
  add('GET', '/v2/tokens')
  add('GET', '/v2/tokens/{token-id}')
  add('GET', '/v2/tokens/main')
  add('POST', '/v2/tokens/price')
  add('GET', '/v2/klines/pair/{pair-id}')
  add('POST', '/admin/keys/{id}/rotate')
  const found = router.find(url)
  if (found === null) return null
  handlerOf(found.endpoint, method)?.({} as Exchange)
  return taken === null ? null : `${taken} ${found.id}`
}

test.each([
  ['GET', '/v2/tokens', 'GET /v2/tokens '],
  ['GET', '/v2/tokens?a/b', 'GET /v2/tokens '],
  ['GET', '/v2/tokens/main', 'GET /v2/tokens/main '],
  ['HEAD', '/v2/tokens/main', 'GET /v2/tokens/main '],
  ['POST', '/v2/tokens/price', 'POST /v2/tokens/price '],
  ['GET', '/v2/tokens/0x1-eth?x=/y', 'GET /v2/tokens/{token-id} 0x1-eth'],
  ['GET', '/v2/tokens/', 'GET /v2/tokens/{token-id} '],
  ['GET', '/v2/klines/pair/a', 'GET /v2/klines/pair/{pair-id} a'],
  ['POST', '/admin/keys/7/rotate', 'POST /admin/keys/{id}/rotate 7'],
  ['GET', '/v2/tokens/{}', 'GET /v2/tokens/{token-id} {}'],
  ['GET', '/v2/tokens/main#x', 'GET /v2/tokens/main '],
  ['GET', 'http://a/v2/tokens/main?x', 'GET /v2/tokens/main '],
  ['GET', 'HTTPS://a:1/v2/tokens/b', 'GET /v2/tokens/{token-id} b'],
])('default: %s %s reaches its handler', (method, url, taken) => {
  expect(takenBy(method, url)).toBe(taken)
})

test.each([
  ['POST', '/v2/tokens/main'],
  // A fixed name is never an id.
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
  ['POST', '/admin/keys/7/8/rotate'],
  ['POST', '/admin/keys/rotate'],
  ['POST', '/rotate'],
])('behavior: %s %s has no handler', (method, url) => {
  expect(takenBy(method, url)).toBe(null)
})

test('behavior: path segments may be percent-encoded, and an encoded slash does not separate', () => {
  expect(takenBy('GET', '/v2/tokens/%6dain')).toBe('GET /v2/tokens/main ')
  expect(takenBy('GET', '/v2/%74okens/main')).toBe('GET /v2/tokens/main ')
  expect(takenBy('GET', '/v2/tokens/a%2Fb')).toBe('GET /v2/tokens/{token-id} a/b')
  expect(takenBy('GET', '/v2/tokens/%2541')).toBe('GET /v2/tokens/{token-id} %41')
  expect(takenBy('GET', '/v2/tokens%2Fmain')).toBe(null)
})

test.each(['/v2/tokens/%zz', '/v2/tokens/%', '/v2/tokens/%ff', '/v2/%zz/main', '/nothing/%'])(
  'error: bad encoding: %s',
  (url) => {
    const fault = { wireCode: 'bad_request', param: 'path' }
    expect(() => takenBy('GET', url)).toThrow(expect.objectContaining(fault))
  },
)

test('behavior: a path lists its methods, HEAD with GET', () => {
  const router = createRouter()
  const methods = (url: string) => methodsOf(router.find(url)!.endpoint)
  router.add('GET', '/a', () => undefined)
  router.add('POST', '/a', () => undefined)
  router.add('POST', '/b/{id}', () => undefined)
  expect(methods('/a?b')).toEqual(['GET', 'HEAD', 'POST'])
  expect(methods('/b/1')).toEqual(['POST'])
  expect(router.find('/b/1')!.endpoint.name).toBe('/b/:id')
})

test('behavior: an id in a path is decoded', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }), (id) => {
      fc.pre(id !== 'main')
      expect(takenBy('GET', `/v2/tokens/${encodeURIComponent(id)}`)).toBe(
        `GET /v2/tokens/{token-id} ${id}`,
      )
    }),
  )
})

test('behavior: the path of a request target ends before its query', () => {
  expect(pathOf('/a/b?c#d')).toBe('/a/b')
  expect(pathOf('/a#b?c')).toBe('/a')
  expect(pathOf('http://a')).toBe('')
  expect(pathOf('http://a?b/c')).toBe('')
  expect(pathOf('http://a/b?c')).toBe('/b')
})
