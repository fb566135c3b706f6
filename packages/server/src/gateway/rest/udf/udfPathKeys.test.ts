import { pino } from 'pino'
import { expect, test } from 'vitest'
import { injectRequest } from '../../../../../../test/support/injectRequest.ts'
import {
  createMemoryKeys,
  unlimitedHolder,
  validKey,
} from '../../../../../../test/support/memoryKeys.ts'
import {
  createServedMarket,
  fillMarket,
  servedKey,
} from '../../../../../../test/support/servedMarket.ts'
import type { AdminRoutesOptions } from '../../http/admin/addAdminRoutes.ts'

const adminKey = 'an-admin-key-of-tests'

/**
 * A server that accepts the API key in chart paths; also returns its log and controls whether keys
 * can be read.
 */
function createMarket({ isKeyInUdfPath = true, admin = adminKey } = {}) {
  const lines: string[] = []
  const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
  const fault = { thrown: null as Error | null }
  const known = createMemoryKeys(new Map([[servedKey, unlimitedHolder(validKey)]]))
  const keys: typeof known = {
    ...known,
    identify(text) {
      if (fault.thrown !== null) throw fault.thrown
      return known.identify(text)
    },
  }
  const market = createServedMarket({
    http: {
      isKeyInUdfPath,
      logger,
      keys,
      admin: { adminKey: admin, plans: new Map() } as unknown as AdminRoutesOptions,
    },
  })
  const { traded } = fillMarket(market.chain)
  const ticker = `${traded[0]!.pair.address}-local`
  const get = async (url: string, headers: Record<string, string> = {}) => {
    const answer = await injectRequest(market.server, { url, headers })
    return { status: answer.statusCode, headers: answer.headers, body: answer.json() }
  }
  return { get, ticker, lines, fault }
}

test('default: the key may be the first part of the path and does not appear in the log', async () => {
  const { get, ticker } = createMarket()
  for (const path of ['config', 'time', `symbols?symbol=${ticker}`, `quotes?symbols=${ticker}`]) {
    const { status, headers, body } = await get(`/udf/${servedKey}/${path}`)
    expect([path, status, headers['referrer-policy']]).toEqual([path, 200, 'no-referrer'])
    const withHeader = await get(`/udf/${path}`, { 'x-api-key': servedKey })
    expect(body).toEqual(withHeader.body)
    expect(withHeader.headers).not.toHaveProperty('referrer-policy')
  }
})

test('behavior: keys in paths are refused unless configured', async () => {
  const { get } = createMarket({ isKeyInUdfPath: false })
  const { status, body } = await get(`/udf/${servedKey}/config`)
  expect([status, body]).toEqual([404, { s: 'error', errmsg: 'No operation has this path.' }])
})

test('behavior: only the key in the path counts', async () => {
  const { get } = createMarket()
  const refused = { s: 'error', errmsg: 'This key does not work.' }
  const { status, headers, body } = await get('/udf/wrong-key/time', { 'x-api-key': servedKey })
  expect([status, body, headers['referrer-policy']]).toEqual([401, refused, 'no-referrer'])
  expect((await get(`/v2/${servedKey}/supported_chains`)).status).toBe(404)
})

test('behavior: the admin key is refused in the path, even if it is also an API key', async () => {
  const { get } = createMarket({ admin: servedKey })
  const { status, body } = await get(`/udf/${servedKey}/time`)
  const errmsg = 'The admin key is never taken from a path.'
  expect([status, body]).toEqual([401, { s: 'error', errmsg }])
  expect((await get('/udf/time', { 'x-api-key': servedKey })).status).toBe(200)
})

test.each([
  ['fails', new Error('broken')],
  ['has no database', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })],
])('behavior: the key is in no log line when it %s', async (_, thrown) => {
  const { get, lines, fault } = createMarket()
  fault.thrown = thrown
  for (const folder of ['udf', '%75df'])
    expect((await get(`/${folder}/${servedKey}/time`)).status).toBeGreaterThan(499)
  expect(lines.length).toBeGreaterThan(0)
  expect(lines.join()).toContain('/udf/:id/time')
  expect(lines.join()).not.toContain(servedKey)
})
