// Who is given a key by the service itself: a page of ours in a browser on this machine, and nobody else.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { type InjectOptions, injectRequest } from '../../../../../test/support/injectRequest.ts'
import { createMemoryKeys, unlimitedPlan } from '../../../../../test/support/memoryKeys.ts'
import { createServedMarket, fillMarket } from '../../../../../test/support/servedMarket.ts'
import { createMetrics } from '../../lib/metrics.ts'
import { createBrowserKeys, withBrowserKeys } from '../keys/browserKeys.ts'
import type { OpenKeyAccess } from '../keys/createKeyAccess.ts'

const free = { ...unlimitedPlan, name: 'free', requestsPerS: 1, creditsPerPeriod: 1_000_000 }
const plans = new Map([['free', free]])
const nowS = 1_760_000_000
const browserKeys = createBrowserKeys({
  plans,
  clock: { nowMs: () => nowS * 1_000 },
  metrics: createMetrics(),
})
const stored = createMemoryKeys(new Map()) as OpenKeyAccess
const keys = withBrowserKeys(stored, browserKeys)
const adminKey = 'the-admin-key-of-this-test'
const market = createServedMarket({
  http: { keys, browserKeys, admin: { adminKey, plans, keys: {} as never } },
})
fillMarket(market.chain)

await injectRequest(market.server, '/health/live')
const { port } = market.server.server.address() as AddressInfo
const host = `127.0.0.1:${port}`

const path = '/terminal/key'
/** As a browser sends it that shows a page of this service. */
const ownPage = { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' }
const ask = (headers: InjectOptions['headers'] = ownPage, server = market.server) =>
  injectRequest(server, { method: 'POST', url: path, headers: headers! })

const refusals: readonly [name: string, headers: NonNullable<InjectOptions['headers']>][] = [
  ['another origin', { ...ownPage, origin: 'https://evil.example' }],
  ['an origin that is none', { ...ownPage, origin: 'null' }],
  ['another port of this machine', { ...ownPage, origin: 'http://127.0.0.1:1' }],
  ['no origin, as a program or a link has none', { host }],
  ['a page of another site', { ...ownPage, 'sec-fetch-site': 'cross-site' }],
  ['a page of the same site', { ...ownPage, 'sec-fetch-site': 'same-site' }],
  ['a rebound name', { host: `evil.example:${port}`, origin: `http://evil.example:${port}` }],
  ['a rebound name that looks local', hostOf(`127.0.0.1.evil.example:${port}`)],
  ['a name under localhost', hostOf(`evil.localhost:${port}`)],
  ['another port in the host', hostOf('127.0.0.1:1')],
  ['an origin with TLS, which is a proxy', { ...ownPage, origin: `https://${host}` }],
  ['Forwarded', { ...ownPage, forwarded: 'for=192.0.2.1' }],
  ['X-Forwarded-For', { ...ownPage, 'x-forwarded-for': '192.0.2.1' }],
  ['X-Forwarded-Host', { ...ownPage, 'x-forwarded-host': host }],
  ['X-Forwarded-Anything', { ...ownPage, 'x-forwarded-anything': '' }],
  ['X-Real-IP', { ...ownPage, 'x-real-ip': '192.0.2.1' }],
  ['Via', { ...ownPage, via: '1.1 proxy' }],
]

function hostOf(name: string) {
  return { host: name, origin: `http://${name}`, 'sec-fetch-site': 'same-origin' }
}

test('default: a page of ours on this machine is given a key that works', async () => {
  for (const name of [host, `localhost:${port}`]) {
    const { statusCode, headers, json } = await ask(hostOf(name))
    expect([name, statusCode]).toEqual([name, 200])
    expect(headers['cache-control']).toBe('no-store')
    expect(headers['access-control-allow-origin']).toBeUndefined()
    const { key, expires_at: expiresAtS } = json()
    expect(expiresAtS).toBe(nowS + 600)
    const answer = await injectRequest(market.server, {
      url: '/v2/usage',
      headers: { 'x-api-key': key },
    })
    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toMatchObject({ plan: 'browser', credits: { limit: 1_000_000 } })
  }
})

test.each(refusals)('error: %s', async (_name, headers) => {
  const { statusCode, headers: fields, json } = await ask(headers)
  expect(statusCode).toBe(401)
  expect(json().error.code).toBe('missing_key')
  expect(json().key).toBeUndefined()
  expect(fields['access-control-allow-origin']).toBeUndefined()
})

test('error: a GET, which a link or an image would be', async () => {
  const { statusCode } = await injectRequest(market.server, { url: path, headers: ownPage })
  expect(statusCode).toBe(405)
})

test('error: a preflight of another origin is not told that it may', async () => {
  const { headers } = await injectRequest(market.server, {
    method: 'OPTIONS',
    url: path,
    headers: { host, origin: 'https://evil.example', 'access-control-request-method': 'POST' },
  })
  expect(headers['access-control-allow-origin']).toBeUndefined()
})

/** A proxy on this host. As most do by default, it names the service it asks as the host. */
async function openProxy(change: (headers: IncomingHttpHeaders) => IncomingHttpHeaders) {
  const proxy = createServer((incoming, outgoing) => {
    const { method, url } = incoming
    const headers = change({ ...incoming.headers, host })
    const asking = request({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(asking)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  afterAll(() => void proxy.close())
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}

test('error: through a proxy on this host, whether or not it says what it is', async () => {
  const silent = await openProxy((headers) => headers)
  const honest = await openProxy((headers) => ({ ...headers, 'x-forwarded-for': '192.0.2.1' }))
  for (const address of [silent, honest])
    for (const origin of [address, 'https://market.example']) {
      const answer = await fetch(address + path, { method: 'POST', headers: { origin } })
      expect([address, origin, answer.status]).toEqual([address, origin, 401])
    }
})

test('error: it opens no admin path', async () => {
  const { key } = (await ask()).json()
  for (const headers of [{ 'x-api-key': key }, { 'x-admin-key': key }]) {
    const { statusCode } = await injectRequest(market.server, { url: '/admin/keys', headers })
    expect(statusCode).toBe(401)
  }
})

test('error: none is given where the service gives none', async () => {
  const silent = createServedMarket()
  const { statusCode, json } = await ask(ownPage, silent.server)
  expect([statusCode, json().msg]).toEqual([401, expect.stringContaining('gives none to browsers')])
})
