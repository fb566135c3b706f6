import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { type InjectOptions, injectRequest } from '../../../../../test/support/injectRequest.ts'
import { createMemoryKeys, unlimitedPlan } from '../../../../../test/support/memoryKeys.ts'
import { createServedMarket, fillMarket } from '../../../../../test/support/servedMarket.ts'
import { createMetrics } from '../../lib/metrics.ts'
import { browserKeyLimits, createBrowserKeys, withBrowserKeys } from '../keys/browserKeys.ts'
import type { RunningKeyAccess } from '../keys/createKeyAccess.ts'

const token = 'the-token-of-this-test'
const free = { ...unlimitedPlan, name: 'free', requestsPerS: 1, creditsPerPeriod: 1_000_000 }
const plans = new Map([['free', free]])
const nowS = 1_760_000_000
const clock = { nowMs: () => nowS * 1_000 }
const browserKeys = createBrowserKeys({ token, plans, clock, metrics: createMetrics() })
const keys = withBrowserKeys(createMemoryKeys(new Map()) as RunningKeyAccess, browserKeys)
const adminKey = 'the-admin-key-of-this-test'
const market = createServedMarket({
  http: { keys, browserKeys, admin: { adminKey, plans, keys: {} as never } },
})
fillMarket(market.chain)

const path = '/terminal/key'
const withToken = { 'x-terminal-token': token }
const ask = (headers: NonNullable<InjectOptions['headers']> = withToken, server = market.server) =>
  injectRequest(server, { method: 'POST', url: path, headers })

async function usageStatus(key: string): Promise<number> {
  const options = { url: '/v2/usage', headers: { 'x-api-key': key } }
  return (await injectRequest(market.server, options)).statusCode
}

test('default: the token gets a working key', async () => {
  const { statusCode, headers, json } = await ask()
  expect(statusCode).toBe(200)
  expect(headers['cache-control']).toBe('no-store')
  const { key, expires_at: expiresAtS } = json()
  expect(expiresAtS).toBe(nowS + 600)
  expect(await usageStatus(key)).toBe(200)
})

await injectRequest(market.server, '/health/live')
const { port } = market.server.server.address() as AddressInfo
const host = `127.0.0.1:${port}`
/** Headers of the terminal's own page. Any program on this machine can send them. */
const ownPage = { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' }

test.each([
  ['no token', ownPage, 'missing_key'],
  ['another token', { ...ownPage, 'x-terminal-token': 'guessed' }, 'invalid_key'],
  ['the token as a key', { 'x-api-key': token }, 'missing_key'],
] as const)('error: %s gets no key', async (_name, headers, code) => {
  const { statusCode, json } = await ask(headers)
  expect([statusCode, json().error.code]).toEqual([401, code])
  expect(json().key).toBeUndefined()
})

test('behavior: many requests without the token neither block nor evict the keys of pages', async () => {
  const { key } = (await ask()).json()
  for (let count = 0; count <= browserKeyLimits.keysMax; count += 1) await ask(ownPage)
  expect((await ask()).statusCode).toBe(200)
  expect(await usageStatus(key)).toBe(200)
})

test('error: the token itself is not an API key', async () => {
  expect(await usageStatus(token)).toBe(401)
})

test('error: a GET, as a link or image sends, is refused', async () => {
  const { statusCode } = await injectRequest(market.server, { url: path, headers: withToken })
  expect(statusCode).toBe(405)
})

test('error: pages of other origins cannot read the key', async () => {
  const headers = { ...withToken, origin: 'https://evil.example' }
  for (const method of ['POST', 'OPTIONS'] as const) {
    const asked = { ...headers, 'access-control-request-method': 'POST' }
    const answer = await injectRequest(market.server, { method, url: path, headers: asked })
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
  }
})

test('error: a browser key does not work on admin paths', async () => {
  const { key } = (await ask()).json()
  for (const headers of [{ 'x-api-key': key }, { 'x-admin-key': key }]) {
    const { statusCode } = await injectRequest(market.server, { url: '/admin/keys', headers })
    expect(statusCode).toBe(401)
  }
})

test('error: no key is issued if the service was started without a token', async () => {
  const { statusCode, json } = await ask(withToken, createServedMarket().server)
  expect([statusCode, json().msg]).toEqual([401, 'Enter an API key.'])
})
