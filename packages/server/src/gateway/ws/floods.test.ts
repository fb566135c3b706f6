// Floods from one WebSocket client, and how little they delay other clients.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { maskedFrame, openRawWebSocket } from '../../../../../test/support/rawWebSocket.ts'
import { until } from '../../../../../test/support/until.ts'
import { pushOf } from '../../../../../test/support/wsFeed.ts'
import {
  holderOf,
  keysOf,
  planWithoutLimits,
  rpc,
  startWsService,
  type WsService,
} from '../../../../../test/support/wsService.ts'
import { messageBurstMin, type Plan } from '../keys/plan.ts'
import type { WsLimits } from './wsLimits.ts'

let service: WsService
/**
 * Mocked time. It only changes when a test sets it: rate limits refill nothing, and no deadline
 * passes.
 */
let nowMs: number
beforeEach(() => {
  nowMs = 0
})
afterEach(async () => {
  vi.restoreAllMocks()
  await service?.stop()
})

async function startWith(plan: Partial<Plan>, limits: Partial<WsLimits> = {}) {
  service = await startWsService({
    keys: keysOf({ key: holderOf(1, { ...planWithoutLimits, ...plan }) }),
    limits,
    clock: { nowMs: () => nowMs },
  })
  return service.connect()
}

/**
 * Advances the clock by half a scheduler slot at each read, so slots are equally short on every
 * machine.
 */
function countLooksAsTime(): void {
  let lookMs = performance.now()
  vi.spyOn(performance, 'now').mockImplementation(() => {
    lookMs += 1
    return lookMs
  })
}

/**
 * Returns the largest growth of a count between two iterations of the event loop, measured until
 * the count reaches `end`.
 */
async function mostInTurn(countNow: () => number, end: number): Promise<number> {
  let most = 0
  for (let count = countNow(); count < end; ) {
    await nextTurn()
    const before = count
    count = countNow()
    most = Math.max(most, count - before)
  }
  return most
}

test('behavior: a message over the rate limit is not parsed', async () => {
  const client = await startWith({ messagesPerS: 1 })
  for (let id = 1; id <= messageBurstMin; id += 1) await client.call(rpc('ping', [], id))
  const parse = vi.spyOn(JSON, 'parse')
  const isParsed = () => parse.mock.calls.some(([text]) => text.includes('never looked at'))
  client.send(rpc('ping', ['never looked at']))
  expect(await client.next()).toMatchObject({ id: null, error: { code: -32001 } })
  expect(isParsed()).toBe(false)
})

test('behavior: a message over the plan’s size limit closes with 1009 and is not parsed', async () => {
  const client = await startWith({ messageBytesMax: 1_000 })
  const text = JSON.stringify(rpc('ping', ['never looked at']))
  expect(await client.call(text.padEnd(1_000))).toHaveProperty('result')
  const parse = vi.spyOn(JSON, 'parse')
  client.send(text.padEnd(1_001))
  expect(await client.closed).toEqual({
    code: 1009,
    reason: expect.stringContaining('message_bytes_max'),
  })
  expect(parse.mock.calls.some(([given]) => given.includes('never looked at'))).toBe(false)
})

test('behavior: the plan limits the calls of a batch, and a longer batch is refused as one message', async () => {
  const client = await startWith({ batchCallsMax: 3 })
  expect(await client.call([1, 2, 3].map((id) => rpc('ping', [], id)))).toHaveLength(3)
  expect(await client.call(`[${'{},'.repeat(20_000)}{}]`)).toMatchObject({
    id: null,
    error: { data: { limit: 'batch_calls_max', max: 3 } },
  })
})

test.each([
  ['not JSON', () => 'x', 10],
  ['over the batch', () => JSON.stringify(Array(4).fill(rpc('ping'))), 10],
  ['unknown methods', () => JSON.stringify(rpc('nothing')), 10],
  ['empty objects in batches', () => '[{},{}]', 5],
])(
  'behavior: a client with too many refused messages is closed with 1008: %s',
  async (_, message, count) => {
    const client = await startWith({ batchCallsMax: 3 }, { refusedMessagesPerMin: 10 })
    for (let at = 0; at < count; at += 1) await client.call(message())
    expect(await client.call(rpc('ping'))).toHaveProperty('result')
    client.send(message())
    expect(await client.closed).toEqual({ code: 1008, reason: 'Too many refused messages' })
  },
)

test('behavior: the burst and ids of normal use are never refused', async () => {
  const client = await startWith({
    messagesPerS: 1,
    messageBytesMax: 65_536,
    priceIdsMax: 200,
  })
  const ids = Array.from({ length: 200 }, (_, at) => `0x${String(at).padStart(40, '0')}_arbitrum`)
  expect(await client.call(rpc('subscribe', ['price', ids], 7))).toMatchObject({
    result: { status: 'ok', subscribed: ids },
  })
  for (let id = 1; id < messageBurstMin; id += 1) client.send(rpc('ping', [], id))
  for (let id = 1; id < messageBurstMin; id += 1)
    expect(await client.next()).toEqual({ jsonrpc: '2.0', id, result: 'pong' })
})

test('behavior: other clients are served between thousands of messages of one socket', async () => {
  const good = await startWith({})
  const flood = await openRawWebSocket(service.port)
  const count = 500
  const message = maskedFrame(0x81, JSON.stringify(rpc('subscribe', ['price', ['a', 'b', 'c']])))
  countLooksAsTime()
  flood.socket.write(Buffer.concat(Array<Buffer>(count).fill(message)))
  const answered = good.call(rpc('ping'))
  // The server counts the ping as a message too.
  expect(await mostInTurn(() => service.server.stats().messages, count + 1)).toBeLessThan(50)
  expect(await answered).toHaveProperty('result')
  flood.socket.destroy()
})

test('behavior: a client that sends and never reads is disconnected', async () => {
  const good = await startWith({}, { sendMsMax: 100, outboxBytesMax: 1e9 })
  const raw = await openRawWebSocket(service.port)
  raw.socket.on('error', () => undefined)
  raw.socket.pause()
  raw.socket.write(maskedFrame(0x81, JSON.stringify(rpc('subscribe', ['tx', 'a', 'x']))))
  await until('it is subscribed', () => service.server.stats().subscriptions === 1)
  // Pushes are conflated once the kernel's send buffer is full.
  for (let n = 1; service.server.stats().pushesConflated === 0; n += 1) {
    service.feed.publish('tx:a-x', pushOf(n, { conflateKey: 'k', padBytes: 100_000 }))
    await nextTurn()
  }
  await until('it is cut off', () => {
    nowMs += 50
    raw.socket.write(maskedFrame(0x81, JSON.stringify(rpc('ping'))))
    return service.server.stats().sockets === 1
  })
  expect(await good.call(rpc('ping'))).toHaveProperty('result')
  raw.socket.destroy()
})

test('behavior: other clients are answered while a message of thousands of items is handled', async () => {
  const good = await startWith({})
  const flood = await service.connect()
  const ids = Array.from({ length: 10_000 }, (_, at) => `id${at}`)
  countLooksAsTime()
  const acknowledged = flood.call(rpc('subscribe', ['price', ids], 1))
  const answered = good.call(rpc('ping'))
  const subscriptions = () => service.server.stats().subscriptions
  expect(await mostInTurn(subscriptions, ids.length)).toBeLessThan(1_000)
  expect(await answered).toHaveProperty('result')
  expect(await acknowledged).toMatchObject({ result: { status: 'ok', subscribed: ids } })
  expect(service.feed.subscriberCount()).toBe(ids.length)
})
