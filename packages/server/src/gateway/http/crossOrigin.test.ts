import { request } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { createBareHttpServer } from '../../../../../test/support/bareHttpServer.ts'
import {
  createServedMarket,
  fillMarket,
  servedKey,
} from '../../../../../test/support/servedMarket.ts'
import type { KeyAdmin } from '../keys/keyAdmin.ts'

type Answer = { status: number; headers: Record<string, unknown> }
type Ask = (method: string, path: string, headers?: Record<string, string>) => Promise<Answer>

type Asked = { method: string; target: string; headers: Record<string, string> }

/** Sends a request with a target exactly as written. */
function askTarget(address: string, { method, target, headers }: Asked): Promise<Answer> {
  return new Promise((done, failed) => {
    const sent = request(address, { method, path: target, headers }, (response) => {
      response.resume()
      response.once('end', () =>
        done({ status: response.statusCode!, headers: { ...response.headers } }),
      )
    })
    sent.once('error', failed)
    sent.end()
  })
}

function askerOf(address: string): Ask {
  return (method, target, headers = {}) => askTarget(address, { method, target, headers })
}

/** Opens the service's own server on a socket. */
async function openMarket(): Promise<Ask> {
  const market = createServedMarket()
  fillMarket(market.chain)
  onTestFinished(() => market.server.close())
  return askerOf(await market.server.listen({ host: '127.0.0.1', port: 0 }))
}

/** Opens a server without chains, for these origins. */
async function openFor(corsOrigins: readonly string[]): Promise<Ask> {
  const server = createBareHttpServer({ corsOrigins })
  onTestFinished(() => server.close())
  return askerOf(await server.listen({ host: '127.0.0.1', port: 0 }))
}

const origin = 'https://charts.example'
const allowed = 'access-control-allow-origin'

test('default: a page of any origin may read answers, errors and remaining credits', async () => {
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

test('behavior: a request without Origin gets no CORS headers', async () => {
  const ask = await openMarket()
  const { headers } = await ask('GET', '/v2/tokens/main?chain=local', { 'x-api-key': servedKey })
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
})

test('behavior: a preflight request gets the allowed methods and headers', async () => {
  const ask = await openMarket()
  const asking = { origin, 'access-control-request-method': 'POST' }
  const { status, headers } = await ask('OPTIONS', '/v2/tokens/price', asking)
  expect(status).toBe(204)
  expect(headers).toMatchObject({
    [allowed]: '*',
    'access-control-allow-methods': 'GET, HEAD, POST',
    'access-control-allow-headers': 'X-API-KEY, Content-Type',
  })
  // Without a preflight header, OPTIONS is a method like any other.
  expect((await ask('OPTIONS', '/v2/tokens/price')).status).toBe(405)
})

test('behavior: only configured origins are allowed', async () => {
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

const admin = { adminKey: 'an-admin-key-of-tests', plans: new Map(), keys: {} as KeyAdmin }

test.each([
  '/admin/keys',
  '/%61dmin/keys',
  '/admin/keys/1/%72otate',
  '/terminal/key',
  '/%74erminal/key',
  '/health/live',
  '/health/ready?chain=local',
  '/%68ealth/ready',
  '/metrics',
  '/%6detrics',
])('error: %s is closed to pages of other origins', async (path) => {
  const server = createBareHttpServer({ corsOrigins: ['*'], admin })
  onTestFinished(() => server.close())
  const address = await server.listen({ host: '127.0.0.1', port: 0 })
  const asking = { origin, 'access-control-request-method': 'POST' }
  // The same path is tried in an absolute URL too.
  for (const target of [path, `http://a${path}`])
    for (const [method, headers] of [
      ['GET', { origin }],
      ['POST', { origin }],
      ['OPTIONS', asking],
    ] as const) {
      const answer = await askTarget(address, { method, target, headers })
      expect([method, target, answer.headers[allowed]]).toEqual([method, target, undefined])
      if (method === 'OPTIONS') expect(answer.status).not.toBe(204)
    }
})

test('behavior: a path that only starts like a closed path is open', async () => {
  const ask = await openFor(['*'])
  for (const path of ['/admins', '/healthy', '/nothing', '/%zz'])
    expect((await ask('GET', path, { origin })).headers[allowed]).toBe('*')
})

test('behavior: an empty list of origins allows no page', async () => {
  const closed = await openFor([])
  expect((await closed('GET', '/nothing', { origin })).headers[allowed]).toBe(undefined)
})
