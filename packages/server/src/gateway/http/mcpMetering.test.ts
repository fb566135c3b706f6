// Each message of /mcp takes a request, and the credits of its operation, from the key's plan.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterEach, expect, test } from 'vitest'
import { createMemoryKeyStore, testPlans } from '../../../../../test/support/memoryKeyStore.ts'
import { createServedMarket, fillMarket } from '../../../../../test/support/servedMarket.ts'
import { createUnlimitedClients } from '../../../../../test/support/unlimitedClients.ts'
import { answerMcp, operationOf } from '../../../../mcp/src/index.ts'
import { createLogger } from '../../lib/logger.ts'
import { createMetrics } from '../../lib/metrics.ts'
import type { StoreReads } from '../chain/storeReads.ts'
import { createScheduler, type Scheduler } from '../ground/scheduler.ts'
import { createKeyAccess } from '../keys/createKeyAccess.ts'
import type { Caller } from '../keys/keyAccess.ts'
import { type McpService, mcpLimits } from './mcpRoute.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

type ServedOptions = {
  plan?: string
  mcp?: McpService | null
  scheduler?: Scheduler
  store?: Partial<StoreReads>
}

const real: McpService = {
  operationOf,
  answer: ({ request, ...call }) => answerMcp({ ...call, version: '0.0.0' }, request),
}

/** Opens a market whose key has this plan. */
async function served({ plan = 'free', mcp = real, scheduler, store = {} }: ServedOptions = {}) {
  let nowMs = 1_800_000_000_000
  const clock = { nowMs: () => nowMs }
  const keyStore = createMemoryKeyStore()
  const key = 'ct_metered'
  keyStore.put(key, { plan })
  const keys = createKeyAccess({
    clock,
    store: keyStore,
    plans: testPlans,
    logger: createLogger('silent'),
    metrics: createMetrics(),
    limits: { keysMax: 10, trustMs: 9e8, lookupMsMax: 1_000, lookupsMax: 10, flushMs: 9e8 },
  })
  const market = createServedMarket({
    store,
    http: {
      keys,
      mcp: async () => mcp,
      clients: createUnlimitedClients(keys),
      ...(scheduler === undefined ? {} : { scheduler }),
    },
  })
  fillMarket(market.chain)
  const url = await market.server.listen({ host: '127.0.0.1', port: 0 })
  closing.push(() => market.server.close(), keys.close)
  const holder = (await keys.identify(key)) as Caller
  return {
    url,
    key,
    credits: () => holder.quota().creditsUsed,
    usage: async () =>
      (await keys.usageOf(holder)).map(({ operation, requestCount, failedCount, cost }) => ({
        [operation]: [requestCount, failedCount, cost],
      })),
    pass: (ms: number) => {
      nowMs += ms
    },
    async post(message: unknown, headers: Record<string, string> = {}) {
      const response = await fetch(`${url}/mcp`, {
        method: 'POST',
        body: typeof message === 'string' ? message : JSON.stringify(message),
        headers: {
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          'x-api-key': key,
          ...headers,
        },
      })
      const text = await response.text()
      const body = text === '' ? null : JSON.parse(text)
      return { status: response.status, retryAfter: response.headers.get('retry-after'), body }
    },
  }
}

const list = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/list' })
const call = (id: number, name: string, given: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: given },
})
const batch = (count: number) => Array.from({ length: count }, (_, at) => list(at + 1))

test('default: a plan with one request per second gets one answer per second', async () => {
  const { post, pass } = await served()
  expect(await post(list(1))).toMatchObject({ status: 200, body: { id: 1 } })
  const refused = {
    status: 429,
    retryAfter: '1',
    body: { jsonrpc: '2.0', id: 2, error: { code: -32001, data: { code: 'rate_limited' } } },
  }
  expect(await post(list(2))).toMatchObject(refused)
  expect(await post(call(2, 'status'))).toMatchObject(refused)
  pass(1_000)
  expect(await post(call(3, 'status'))).toMatchObject({
    status: 200,
    body: { id: 3, result: { content: [{ text: expect.stringContaining('"local"') }] } },
  })
})

test('behavior: a tool call is charged one request and the credits of its operation, once', async () => {
  const { post, credits, usage } = await served()
  const { body } = await post(call(1, 'search', { keyword: 'PEPE' }))
  expect(body.result.isError).toBeUndefined()
  expect(credits()).toBe(5)
  expect(await usage()).toEqual([{ searchTokens: [1, 0, 5] }])
})

test('behavior: a failed tool call is charged one request and no credits', async () => {
  const { post, credits, usage } = await served({ plan: 'five' })
  const failing = [
    call(1, 'search', { word: 'PEPE' }),
    call(2, 'token', { token_id: 'x' }),
    call(3, 'nothing'),
  ]
  const { body } = await post(failing)
  expect(body.map(({ result }: { result: { isError: boolean } }) => result.isError)).toEqual([
    ...[true, true, true],
  ])
  expect(credits()).toBe(0)
  expect(await usage()).toEqual([
    { searchTokens: [1, 1, 0] },
    { tokenDetail: [1, 1, 0] },
    { mcp: [1, 0, 0] },
  ])
})

test('behavior: messages of a batch are admitted one by one', async () => {
  const { post } = await served({ plan: 'five' })
  const { status, retryAfter, body } = await post(batch(10))
  expect([status, retryAfter, body.length]).toEqual([200, '1', 10])
  const codes = body.map(({ error }: { error?: { data: { code: string } } }) => error?.data.code)
  expect(codes).toEqual([...Array(5).fill(undefined), ...Array(5).fill('rate_limited')])
  // All messages of the batch were refused.
  expect(await post(batch(2))).toMatchObject({ status: 429, retryAfter: '1', body: [{}, {}] })
})

test('behavior: a tool call is refused when credits run out', async () => {
  const { post, credits } = await served({ plan: 'credits' })
  const prices = { token_ids: [`0x${'1'.repeat(40)}-local`] }
  expect(await post(call(1, 'prices', prices))).toMatchObject({ status: 200 })
  expect(credits()).toBe(100)
  expect(await post(call(2, 'search', { keyword: 'PEPE' }))).toMatchObject({
    status: 429,
    retryAfter: expect.stringMatching(/^\d+$/),
    body: { error: { code: -32002, data: { code: 'credits_exhausted' } } },
  })
})

test('error: a batch over the limit is refused and charged one request', async () => {
  const { post } = await served({ plan: 'five' })
  expect(await post(batch(11))).toEqual({
    status: 429,
    retryAfter: null,
    body: {
      jsonrpc: '2.0',
      id: null,
      error: {
        code: -32000,
        message: 'A batch may hold 10 messages, this batch has 11; send smaller batches.',
        data: { code: 'limit_exceeded', limit: 'mcp_batch_messages_max', max: 10 },
      },
    },
  })
  for (const text of ['{', '[]', '[5]', '{"jsonrpc":"2.0","id":1}'])
    expect(await post(text)).toMatchObject({ status: 400 })
  expect(await post('{')).toMatchObject({ status: 429 })
})

test('behavior: a notification is free, so that a client can connect on any plan', async () => {
  const { post, url, key } = await served()
  const client = new Client({ name: 'test', version: '0' })
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: { 'X-API-KEY': key } },
  })
  await client.connect(transport)
  await client.close()
  const notification = { jsonrpc: '2.0', method: 'notifications/initialized' }
  expect(await post([notification, notification])).toEqual({
    status: 202,
    retryAfter: null,
    body: null,
  })
})

test('behavior: a failed message is not retried', async () => {
  let asked = 0
  const { post } = await served({
    plan: 'unlimited',
    store: {
      loadSmartWallets() {
        asked += 1
        return Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))
      },
    },
  })
  const { body } = await post(call(1, 'lists', { what: 'smart_wallets', chain: 'local' }))
  expect([asked, body.result.isError]).toEqual([1, true])
  expect(body.result.content[0].text).toContain('Try again in 1 s.')
})

test('behavior: other clients are served between two answers', async () => {
  const scheduler = createScheduler()
  const seen: string[] = []
  const answer = async () => {
    seen.push('message')
    scheduler.run(() => seen.push('other'))
    return Response.json({})
  }
  const next = scheduler.nextSlot.bind(scheduler)
  scheduler.nextSlot = async (place) => {
    await next(place)
    seen.push('turn')
  }
  const { post } = await served({ plan: 'unlimited', mcp: { ...real, answer }, scheduler })
  await post(batch(3))
  expect(seen.join(' ')).toBe('turn message other turn message other turn message other')
})

test('error: an answer over the size limit is replaced by an error', async () => {
  const answer = async () => Response.json('a'.repeat(mcpLimits.answerBytesMax))
  const { post } = await served({ plan: 'unlimited', mcp: { ...real, answer } })
  const { body } = await post(batch(2))
  expect(body).toMatchObject([
    { id: 1, error: { data: { limit: 'mcp_answer_bytes_max', max: 262_144 } } },
    { id: 2, error: { message: 'The answer has 262146 bytes, more than 262144: ask for less.' } },
  ])
})

test('error: without the package, every message is told to install it and charged one request', async () => {
  const { post, credits } = await served({ plan: 'five', mcp: null })
  const missing = {
    status: 404,
    body: {
      error: { code: -32601, message: expect.stringContaining('npm install @chaintape/mcp') },
    },
  }
  expect(await post(call(1, 'search', { keyword: 'PEPE' }))).toMatchObject(missing)
  expect(await post(batch(5))).toMatchObject({ status: 200, body: [{ id: 1 }, {}, {}, {}, {}] })
  expect(credits()).toBe(0)
})

test('behavior: a forged ticket pays for nothing', async () => {
  const { url, key, credits } = await served()
  const headers = { 'x-api-key': key, 'x-chaintape-ticket': 'undefined' }
  await (await fetch(`${url}/v2/tokens?keyword=PEPE`, { headers })).text()
  expect(credits()).toBe(5)
})
