import { request } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { createBareHttpServer } from '../../../../../../test/support/bareHttpServer.ts'
import {
  createServedMarket,
  fillMarket,
  servedKey,
} from '../../../../../../test/support/servedMarket.ts'

type Answer = { status: number; headers: Record<string, unknown> }
type Ask = (method: string, path: string, headers?: Record<string, string>) => Promise<Answer>

function askerOf(address: string): Ask {
  return (method, path, headers = {}) =>
    new Promise((done, failed) => {
      const sent = request(`${address}${path}`, { method, headers }, (response) => {
        response.resume()
        response.once('end', () =>
          done({ status: response.statusCode!, headers: { ...response.headers } }),
        )
      })
      sent.once('error', failed)
      sent.end()
    })
}

/** The service's own server on a socket. */
async function openMarket(): Promise<Ask> {
  const market = createServedMarket()
  fillMarket(market.chain)
  onTestFinished(() => market.server.close())
  return askerOf(await market.server.listen({ host: '127.0.0.1', port: 0 }))
}

/** A server that has nothing to tell them. */
async function openFor(corsOrigins: readonly string[]): Promise<Ask> {
  const server = createBareHttpServer({ corsOrigins })
  onTestFinished(() => server.close())
  return askerOf(await server.listen({ host: '127.0.0.1', port: 0 }))
}

const origin = 'https://charts.example'
const allowed = 'access-control-allow-origin'

test('default: a page of any origin may read answers, refusals and what is left', async () => {
  const ask = await openMarket()
  const key = { 'x-api-key': servedKey }
  for (const path of ['/v2/tokens/main?chain=local', '/udf/config', '/openapi.json']) {
    const { status, headers } = await ask('GET', path, { origin, ...key })
    expect([path, status, headers[allowed]]).toEqual([path, 200, '*'])
    expect(headers['access-control-expose-headers']).toContain('X-CU-Remaining')
  }
  const refused = await ask('GET', '/v2/tokens/main?chain=local', { origin })
  expect([refused.status, refused.headers[allowed]]).toEqual([401, '*'])
})

test('behavior: who is no page is told nothing of origins', async () => {
  const ask = await openMarket()
  const { headers } = await ask('GET', '/v2/tokens/main?chain=local', { 'x-api-key': servedKey })
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
})

test('behavior: a browser that asks first is told what it may send', async () => {
  const ask = await openMarket()
  const asking = { origin, 'access-control-request-method': 'POST' }
  const { status, headers } = await ask('OPTIONS', '/v2/tokens/price', asking)
  expect(status).toBe(204)
  expect(headers).toMatchObject({
    [allowed]: '*',
    'access-control-allow-methods': 'GET, HEAD, POST',
    'access-control-allow-headers': 'X-API-KEY, Content-Type',
  })
  // Without these it is a method like any other.
  expect((await ask('OPTIONS', '/v2/tokens/price')).status).toBe(405)
})

test('behavior: only the origins that are named', async () => {
  const ask = await openFor([origin])
  expect((await ask('GET', '/nothing', { origin })).headers).toMatchObject({
    [allowed]: origin,
    vary: 'origin',
  })
  for (const other of ['https://charts.example.evil', 'http://charts.example', 'null']) {
    const { headers } = await ask('GET', '/nothing', { origin: other })
    expect([other, headers[allowed], headers.vary]).toEqual([other, undefined, 'origin'])
  }
  const asking = { origin: 'http://a', 'access-control-request-method': 'GET' }
  expect((await ask('OPTIONS', '/nothing', asking)).headers[allowed]).toBe(undefined)
})

test('behavior: the admin API is not for pages, and an empty list is nobody', async () => {
  const open = await openFor(['*'])
  expect((await open('GET', '/admin/keys', { origin })).headers[allowed]).toBe(undefined)
  const closed = await openFor([])
  expect((await closed('GET', '/nothing', { origin })).headers[allowed]).toBe(undefined)
})
