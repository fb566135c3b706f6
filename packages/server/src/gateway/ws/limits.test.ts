import { afterEach, expect, test } from 'vitest'
import {
  holderOf,
  keysOf,
  notification,
  planWithoutLimits,
  rpc,
  startWsService,
  type WsService,
} from '../../../../../test/support/wsService.ts'
import { messageBurstMin, type Plan } from '../keys/plan.ts'
import { TokenBucket } from '../keys/usage/tokenBucket.ts'
import { takeMessage } from './connection.ts'

let service: WsService

async function startWith(plan: Partial<Plan>, limits = {}) {
  service = await startWsService({
    keys: keysOf({ key: holderOf(1, { ...planWithoutLimits, ...plan }) }),
    limits,
  })
  return service.connect()
}

afterEach(() => service?.stop())

test('error: a request over subscriptions_max is refused as a whole', async () => {
  const client = await startWith({ subscriptionsMax: 3 })
  await client.call(rpc('subscribe', ['price', ['a', 'b']]))
  expect(await client.call(rpc('subscribe', ['price', ['c', 'd']], 2))).toEqual({
    jsonrpc: '2.0',
    id: 2,
    error: {
      code: -32000,
      message: expect.stringContaining('3 subscriptions'),
      data: { code: 'limit_exceeded', limit: 'subscriptions_max', max: 3 },
    },
  })
  expect(service.feed.subscriberCount()).toBe(2)
  // Items that are already subscribed, or named twice, do not count again.
  expect(await client.call(rpc('subscribe', ['price', ['a', 'b', 'c', 'c']]))).toHaveProperty(
    'result',
  )
  expect(service.server.stats().subscriptions).toBe(3)
})

test('error: a price subscribe over price_ids_max is refused', async () => {
  const client = await startWith({ priceIdsMax: 2 })
  expect(await client.call(rpc('subscribe', ['price', ['a', 'b']]))).toHaveProperty('result')
  expect(await client.call(rpc('subscribe', ['price', ['c', 'd', '?']]))).toMatchObject({
    error: { code: -32000, data: { limit: 'price_ids_max', max: 2 } },
  })
})

test('error: messages over messages_per_s are refused after the burst of every plan', async () => {
  // A rate limit that refills far more slowly than the test runs.
  const client = await startWith({ messagesPerS: 0.000_001 })
  for (let id = 1; id <= messageBurstMin - 2; id++) client.send(rpc('ping', [], id))
  for (let id = 1; id <= messageBurstMin - 2; id++)
    expect(await client.next()).toEqual({ jsonrpc: '2.0', id, result: 'pong' })
  client.send(notification('ping'))
  // Each call of a batch counts as one message.
  expect(await client.call([rpc('ping', [], 1), rpc('ping', [], 2)])).toMatchObject([
    { id: 1, result: 'pong' },
    { id: 2, error: { code: -32001, data: { code: 'rate_limited', limit: 'messages_per_s' } } },
  ])
  expect(await client.call('not JSON')).toMatchObject({ id: null, error: { code: -32001 } })
  expect(service.server.stats().rateLimited).toBe(2)
})

test('error: a batch over batch_calls_max is refused', async () => {
  const client = await startWith({}, { batchCallsMax: 2 })
  expect(await client.call([rpc('ping'), rpc('ping')])).toHaveLength(2)
  expect(await client.call([1, 2, 3].map((id) => rpc('ping', [], id)))).toMatchObject({
    id: null,
    error: { code: -32000, data: { limit: 'batch_calls_max', max: 2 } },
  })
})

test('error: a message over the size limit closes with 1009', async () => {
  const client = await startWith({}, { messageBytesMax: 1_000 })
  const text = JSON.stringify(rpc('ping'))
  expect(await client.call(text.padEnd(1_000))).toHaveProperty('result')
  client.send(text.padEnd(1_001))
  expect((await client.closed).code).toBe(1009)
})

test('behavior: the bucket refills with time, never beyond the burst', () => {
  const bucket = new TokenBucket()
  const take = (nowMs: number) => takeMessage(bucket, 10, nowMs)
  for (let count = 0; count < messageBurstMin; count++) expect(take(0)).toBe(true)
  expect(take(0)).toBe(false)
  expect(take(99)).toBe(false)
  expect(take(100)).toBe(true)
  // The clock was set back.
  expect(take(0)).toBe(false)
  let taken = 0
  while (take(1_000_000)) taken += 1
  expect(taken).toBe(messageBurstMin)
})
