// Fuzzes WebSocket messages.
// 1. One socket sends malformed messages: broken JSON, wrong shapes, wrong types, mutated valid
// calls, raw bytes.
// 2. After each run, a valid call on the same socket is answered: no run closed the socket or broke
// the order of responses.
// 3. Another socket gets one push per run, in order, and nothing else.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import { maskedFrame, openRawWebSocket } from '../../../../../test/support/rawWebSocket.ts'
import { until } from '../../../../../test/support/until.ts'
import { pushOf } from '../../../../../test/support/wsFeed.ts'
import {
  rpc,
  startWsService,
  type WsClient,
  type WsService,
} from '../../../../../test/support/wsService.ts'
import { parseJsonRpc } from '../http/jsonRpc.ts'

const socketCount = propertyRuns(1_000)
const messagesPerRun = 100

let service: WsService
let sender: WsClient
let watcher: WsClient

beforeAll(async () => {
  service = await startWsService({ limits: { refusedMessagesPerMin: 1_000_000 } })
  sender = await service.connect()
  watcher = await service.connect()
  await watcher.call(rpc('subscribe', ['tx', 'watched', 'x'], 1))
})
afterAll(() => service.stop())

const word = fc.constantFrom(
  'jsonrpc',
  'method',
  'params',
  'id',
  '2.0',
  'subscribe',
  'unsubscribe',
  'ping',
  'tx',
  'price',
  '__proto__',
  'constructor',
  'toString',
)
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    word,
    fc.jsonValue(),
    fc.double(),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(word, fc.string()), tie('any'), { maxKeys: 4 }),
  ),
})).any
const call = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 4, arbitrary: fc.constant('2.0') }, value),
    method: fc.oneof({ weight: 4, arbitrary: word }, value),
    params: fc.oneof(fc.array(fc.oneof(word, value), { maxLength: 4 }), value),
    id: fc.oneof(fc.integer(), value),
  },
  { requiredKeys: [] },
)
const goodText = JSON.stringify(rpc('subscribe', ['price', ['a', 'b']], 3))
const mutated = fc
  .tuple(fc.nat(goodText.length), fc.nat(8), fc.string({ maxLength: 4 }))
  .map(([start, length, text]) => goodText.slice(0, start) + text + goodText.slice(start + length))
const message = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => Buffer.from(text).toString()),
  value.map((any) => JSON.stringify(any) ?? ''),
  call.map((any) => JSON.stringify(any)),
  fc.array(fc.oneof(call, value), { maxLength: 5 }).map((any) => JSON.stringify(any)),
  mutated,
  fc.integer({ min: 1, max: 500 }).map((depth) => '[{"id":'.repeat(depth)),
)

test(`behavior: ${socketCount * messagesPerRun} malformed messages do no harm`, async () => {
  let run = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(message, { minLength: messagesPerRun, maxLength: messagesPerRun }),
      async (messages) => {
        run += 1
        for (const text of messages) sender.send(text)
        sender.send(rpc('unsubscribe', [], run))
        sender.send(rpc('ping', [run], 1_000_000 + run))
        for (;;) {
          const answer = (await sender.next()) as { id?: unknown; result?: unknown }
          if (answer.id === 1_000_000 + run && answer.result === 'pong') break
        }
        service.feed.publish('tx:watched-x', pushOf(run))
        expect(await watcher.next()).toMatchObject({ id: 1, result: { n: run } })
        expect(watcher.messages).toEqual([])
        // The feed forgets dropped items in later scheduler slots.
        await until('only the watcher is subscribed', () => service.feed.subscriberCount() === 1)
      },
    ),
    // fast-check would otherwise shrink a failing run with many reruns, on sockets that may be
    // closed.
    { numRuns: socketCount, endOnFailure: true },
  )
  expect(service.server.stats().sockets).toBe(2)
})

test('behavior: any text parses into calls and invalid parts', () => {
  fc.assert(
    fc.property(message, (text) => {
      const parsed = parseJsonRpc(text, 1_000)
      for (const part of parsed !== null && 'parts' in parsed ? parsed.parts : []) {
        expect(['undefined', 'string', 'number']).toContain(typeof (part.id ?? undefined))
        if (typeof part.id === 'number') expect(Number.isSafeInteger(part.id)).toBe(true)
        if (typeof part.id === 'string') expect(part.id.length).toBeLessThanOrEqual(256)
        if (part.type === 'call') expect(typeof part.method).toBe('string')
      }
    }),
    { numRuns: propertyRuns(10_000) },
  )
})

test('behavior: arbitrary bytes after the handshake close at most their own socket', async () => {
  const frame = fc
    .tuple(fc.integer({ min: 0, max: 255 }), fc.uint8Array({ maxLength: 200 }))
    .map(([bits, payload]) => maskedFrame(bits, Buffer.from(payload)))
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((any) => Buffer.from(any)),
    fc.array(frame, { maxLength: 5 }).map((frames) => Buffer.concat(frames)),
  )
  await fc.assert(
    fc.asyncProperty(bytes, async (any) => {
      const client = await openRawWebSocket(service.port)
      client.send(any)
      client.socket.end()
      await client.next()
      client.socket.destroy()
    }),
    { numRuns: propertyRuns(500), endOnFailure: true },
  )
  await until('the raw sockets are gone', () => service.server.stats().sockets === 2)
  expect(await sender.call(rpc('ping', [], 5))).toMatchObject({ id: 5, result: 'pong' })
  service.feed.publish('tx:watched-x', pushOf(0))
  expect(await watcher.next()).toMatchObject({ result: { n: 0 } })
})
