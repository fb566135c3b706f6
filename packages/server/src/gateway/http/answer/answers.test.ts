// Wire form of HTTP answers: compressed, omitted (304) or reduced to selected fields.
import { request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createServedMarket,
  fillMarket,
  servedKey,
} from '../../../../../../test/support/servedMarket.ts'
import { operations } from '../../rest/operations.ts'
import { acceptedEncoding, createAnswerCompressor } from './encoding.ts'

const market = createServedMarket()
const { traded, weth } = fillMarket(market.chain)
let port = 0
beforeAll(async () => {
  port = Number(new URL(await market.server.listen({ host: '127.0.0.1', port: 0 })).port)
})
afterAll(() => market.server.close())

type Answer = { status: number; headers: Record<string, unknown>; bytes: Buffer }

/** Sends a request and returns the answer's bytes undecoded. */
function ask(path: string, headers: Record<string, string> = {}, body = ''): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asking = request({
      host: '127.0.0.1',
      port,
      path,
      method: body === '' ? 'GET' : 'POST',
      headers: { 'x-api-key': servedKey, ...headers },
    })
    asking.once('error', reject).once('response', async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      const status = response.statusCode ?? 0
      resolve({ status, headers: response.headers, bytes: Buffer.concat(chunks) })
    })
    asking.end(body)
  })
}

const detail = `/v2/tokens/${traded[0]!.token.address}-local`
const list = '/v2/ranks?topic=hot'
const decoders = { br: brotliDecompressSync, gzip: gunzipSync }

test.each(['br', 'gzip'] as const)('default: long answers are compressed: %s', async (encoding) => {
  for (const path of [detail, list, '/openapi.json']) {
    const plain = await ask(path)
    expect([path, plain.headers['content-encoding']]).toEqual([path, undefined])
    expect(plain.headers.vary).toBe('accept-encoding')
    // The second request gets the cached compressed answer.
    for (let again = 0; again < 2; again += 1) {
      const small = await ask(path, { 'accept-encoding': encoding })
      expect(small.headers['content-encoding']).toBe(encoding)
      expect(small.headers['content-length']).toBe(`${small.bytes.length}`)
      expect(small.bytes.length).toBeLessThan(plain.bytes.length)
      expect(decoders[encoding](small.bytes).toString()).toBe(plain.bytes.toString())
    }
  }
})

test('behavior: a short answer is not compressed, and still varies by origin', async () => {
  const short = await ask('/v2/usage', { 'accept-encoding': 'gzip' })
  expect([short.status, short.headers['content-encoding']]).toEqual([200, undefined])
  const ofPage = await ask(detail, { 'accept-encoding': 'gzip', origin: 'https://a.example' })
  expect(ofPage.headers).toMatchObject({
    vary: 'origin, accept-encoding',
    'content-encoding': 'gzip',
    'access-control-allow-origin': '*',
  })
})

test.each([
  [undefined, null],
  ['', null],
  ['identity', null],
  ['deflate, compress', null],
  ['gzip', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['GZIP;Q=0.5', 'gzip'],
  ['gzip;q=1.0, br;q=0.5', 'gzip'],
  ['gzip;q=0, br;q=0', null],
  ['*', 'br'],
  ['*;q=0', null],
  ['br;q=0, *', 'gzip'],
  ['identity, gzip;q=0.5', null],
  ['gzip;q=x', null],
  ['gzip'.padEnd(1_024, ','), 'gzip'],
  ['gzip'.padEnd(1_025, ','), null],
])('behavior: Accept-Encoding %s is answered with %s', (accept, encoding) => {
  expect(acceptedEncoding(accept)).toBe(encoding)
})

test('behavior: equal answers are compressed once, and compressions at a time are limited', async () => {
  const encoder = createAnswerCompressor()
  const bytes = Buffer.alloc(4_000, 'a')
  expect(encoder.cached('key', 'gzip')).toBe(null)
  const made = await encoder.compress(bytes, 'gzip', 'key')
  expect(encoder.cached('key', 'gzip')).toBe(made)
  expect([encoder.cached('key', 'br'), encoder.cached('other', 'gzip')]).toEqual([null, null])
  const underWay: Promise<Buffer>[] = []
  while (encoder.canCompress()) underWay.push(encoder.compress(bytes, 'br', null))
  expect(underWay.length).toBeLessThanOrEqual(16)
  await Promise.all(underWay)
  expect(encoder.canCompress()).toBe(true)
})

test('behavior: a matching ETag gets 304 until a block changes the answer', async () => {
  for (const path of [detail, `/v2/pairs/${traded[0]!.pair.address}-local`, list]) {
    const { headers } = await ask(path)
    const etag = String(headers.etag)
    expect([path, etag]).toEqual([path, expect.stringMatching(/^W\/"[\w.-]+"$/)])
    const known = await ask(path, { 'if-none-match': `"other", ${etag}` })
    expect([path, known.status, known.bytes.length]).toEqual([path, 304, 0])
    expect(known.headers).toMatchObject({ etag, 'x-cu-cost': expect.any(String) })
    market.chain.trade(traded[0]!.pair, weth, 0.01)
    market.chain.mine()
    const changed = await ask(path, { 'if-none-match': etag })
    expect([path, changed.status]).toEqual([path, 200])
    expect(changed.headers.etag).not.toBe(etag)
  }
})

test('error: an If-None-Match over 1 KB counts as absent', async () => {
  const { headers } = await ask(detail)
  const asked = async (chars: number) =>
    (await ask(detail, { 'if-none-match': String(headers.etag).padEnd(chars, ',') })).status
  expect([await asked(1_024), await asked(1_025)]).toEqual([304, 200])
})

test('behavior: usage of a key is not for shared caches', async () => {
  expect((await ask('/v2/usage')).headers['cache-control']).toBe('private')
  expect((await ask(detail)).headers).not.toHaveProperty('cache-control')
})

test('behavior: the parameter fields selects members in lists, batches and envelopes', async () => {
  const json = async (path: string, body?: string) =>
    JSON.parse((await ask(path, {}, body)).bytes.toString())
  const whole = await json(detail)
  const some = await json(`${detail}?fields=token.symbol,token.chain,is_audited`)
  const { symbol, chain } = whole.data.token
  expect(symbol).toBe('PEPE')
  expect(some).toEqual({ ...whole, data: { is_audited: false, token: { symbol, chain } } })
  const rows = (await json(list)) as Record<string, unknown>[]
  expect(await json(`${list}&fields=symbol,chain`)).toEqual(
    rows.map(({ symbol, chain }) => ({ symbol, chain })),
  )
  const id = `${traded[0]!.token.address}-local`
  const body = JSON.stringify({ token_ids: [id], tvl_min: 0 })
  const { [id]: entry } = await json('/v2/tokens/price', body)
  expect(await json('/v2/tokens/price?fields=current_price_usd', body)).toEqual({
    [id]: { current_price_usd: entry.current_price_usd },
  })
})

test.each([
  ['nothing', '"nothing"'],
  ['token.nothing', '"nothing"'],
  ['token.symbol.x', '"x"'],
  ['token,,pairs', '""'],
  [Array(101).fill('token').join(), 'over 100 names'],
])('error: the error of fields=%s names the wrong field', async (fields, named) => {
  const { status, bytes } = await ask(`${detail}?fields=${fields}`)
  const { msg, error } = JSON.parse(bytes.toString())
  expect([status, error]).toEqual([400, { code: 'invalid_param', param: 'fields' }])
  expect(msg).toContain(named)
})

test('behavior: every operation under /v2 whose answer has members accepts fields', () => {
  const without = operations.filter(({ inputs }) => !('fields' in inputs)).map(({ path }) => path)
  expect(without.filter((path) => path.startsWith('/v2/'))).toEqual([])
})
