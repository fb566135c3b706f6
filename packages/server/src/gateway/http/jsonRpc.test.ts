import { afterAll, beforeAll, expect, test } from 'vitest'
import { pushOf } from '../../../../../test/support/wsFeed.ts'
import {
  notification,
  rpc,
  startWsService,
  type WsClient,
  type WsService,
} from '../../../../../test/support/wsService.ts'

let service: WsService
let client: WsClient

beforeAll(async () => {
  service = await startWsService()
  client = await service.connect()
})
afterAll(() => service.stop())

const ok = { jsonrpc: '2.0', id: 99, result: 'pong' }

/**
 * Returns the responses to a message: everything that arrives before the response to a later
 * `ping`.
 */
async function answersTo(message: unknown): Promise<unknown[]> {
  client.send(message)
  client.send(rpc('ping', [], 99))
  const answers: unknown[] = []
  for (;;) {
    const answer = await client.next()
    if (JSON.stringify(answer) === JSON.stringify(ok)) return answers
    answers.push(answer)
  }
}

function fault(id: number | string | null, code: number) {
  return { jsonrpc: '2.0', id, error: expect.objectContaining({ code }) }
}

test.each([
  ['no JSON', '{', [fault(null, -32700)]],
  ['empty text', '', [fault(null, -32700)]],
  ['two values', '{} {}', [fault(null, -32700)]],
  ['broken batch', '[{"jsonrpc":"2.0","method":"ping","id":1},', [fault(null, -32700)]],
  ['a number', '1', [fault(null, -32600)]],
  ['null', 'null', [fault(null, -32600)]],
  ['a string', '"ping"', [fault(null, -32600)]],
  ['empty object', '{}', [fault(null, -32600)]],
  ['empty batch', '[]', [fault(null, -32600)]],
  ['batch of numbers', '[1,2]', [[fault(null, -32600), fault(null, -32600)]]],
  ['batch in a batch', '[[]]', [[fault(null, -32600)]]],
  ['no version', { method: 'ping', id: 1 }, [fault(1, -32600)]],
  ['wrong version', { jsonrpc: '1.0', method: 'ping', id: 1 }, [fault(1, -32600)]],
  ['version as number', { jsonrpc: 2, method: 'ping', id: 1 }, [fault(1, -32600)]],
  ['id of 257 characters', rpc('ping', [], 'x'.repeat(257)), [fault(null, -32600)]],
  ['null id', rpc('ping', [], null), [fault(null, -32600)]],
  ['fractional id', rpc('ping', [], 1.5), [fault(null, -32600)]],
  ['object id', rpc('ping', [], {}), [fault(null, -32600)]],
  ['boolean id', rpc('ping', [], true), [fault(null, -32600)]],
  [
    'id beyond 2^53',
    '{"jsonrpc":"2.0","method":"ping","id":9007199254740993}',
    [fault(null, -32600)],
  ],
  ['infinite id', '{"jsonrpc":"2.0","method":"ping","id":1e999}', [fault(null, -32600)]],
  ['no method', { jsonrpc: '2.0', id: 3 }, [fault(3, -32600)]],
  ['method as number', { jsonrpc: '2.0', method: 1, params: 'bar', id: 3 }, [fault(3, -32600)]],
  ['unknown method', rpc('tx', [], 3), [fault(3, -32601)]],
  ['method of Object', rpc('constructor', [], 3), [fault(3, -32601)]],
  ['prototype method', rpc('__proto__', [], 3), [fault(3, -32601)]],
  ['params object', rpc('subscribe', { topic: 'tx' }, 4), [fault(4, -32602)]],
  ['params missing', rpc('subscribe', undefined, 4), [fault(4, -32602)]],
  ['params null', rpc('unsubscribe', null, 4), [fault(4, -32602)]],
  ['params string', rpc('subscribe', 'tx', 4), [fault(4, -32602)]],
  ['no topic', rpc('subscribe', [], 4), [fault(4, -32602)]],
  ['unknown topic', rpc('subscribe', ['trade'], 4), [fault(4, -32602)]],
  ['empty list', rpc('subscribe', ['price', []], 4), [fault(4, -32602)]],
  ['notification', notification('ping', []), []],
  ['unknown notification', notification('nothing', []), []],
  ['bad notification', notification('subscribe', []), []],
  ['batch of notifications', [notification('ping', []), notification('x', [])], []],
  [
    'ping without params',
    { jsonrpc: '2.0', method: 'ping', id: 5 },
    [{ jsonrpc: '2.0', id: 5, result: 'pong' }],
  ],
  [
    'extra members',
    { ...rpc('ping', {}, 5), api_key: 'k', __proto__: { x: 1 } },
    [{ jsonrpc: '2.0', id: 5, result: 'pong' }],
  ],
  [
    'own __proto__',
    '{"__proto__":{"method":"x"},"jsonrpc":"2.0","method":"ping","id":5}',
    [{ jsonrpc: '2.0', id: 5, result: 'pong' }],
  ],
  ['string id', rpc('ping', [], '1'), [{ jsonrpc: '2.0', id: '1', result: 'pong' }]],
  [
    'id of any text',
    rpc('ping', [], ' "\\\n\u0000é漢😀'),
    [{ jsonrpc: '2.0', id: ' "\\\n\u0000é漢😀', result: 'pong' }],
  ],
  ['empty id', rpc('ping', [], ''), [{ jsonrpc: '2.0', id: '', result: 'pong' }]],
  [
    'id of 256 characters',
    rpc('ping', [], 'x'.repeat(256)),
    [{ jsonrpc: '2.0', id: 'x'.repeat(256), result: 'pong' }],
  ],
  ['string id of a fault', rpc('x', [], 'a'), [fault('a', -32601)]],
  ['id 0', rpc('ping', [], 0), [{ jsonrpc: '2.0', id: 0, result: 'pong' }]],
  [
    'id -0',
    '{"jsonrpc":"2.0","method":"ping","id":-0}',
    [{ jsonrpc: '2.0', id: 0, result: 'pong' }],
  ],
  ['negative id', rpc('ping', [], -7), [{ jsonrpc: '2.0', id: -7, result: 'pong' }]],
  [
    'integer written with a point',
    '{"jsonrpc":"2.0","method":"ping","id":1.0}',
    [{ jsonrpc: '2.0', id: 1, result: 'pong' }],
  ],
  [
    'space around',
    '\n [ {"jsonrpc":"2.0","method":"ping","id":6} ] \t',
    [[{ jsonrpc: '2.0', id: 6, result: 'pong' }]],
  ],
  [
    'mixed batch',
    [rpc('ping', [], 1), notification('ping', []), 1, rpc('x', [], 2)],
    [[{ jsonrpc: '2.0', id: 1, result: 'pong' }, fault(null, -32600), fault(2, -32601)]],
  ],
])('args: %s', async (_name, message, answers) => {
  expect(await answersTo(message)).toEqual(answers)
})

test('error: an error names the invalid param', async () => {
  expect(await client.call(rpc('subscribe', {}, 1))).toMatchObject({
    error: { code: -32602, data: { code: 'invalid_param', param: 'params' } },
  })
  expect(await client.call(rpc('subscribe', ['nope'], 1))).toMatchObject({
    error: { code: -32602, data: { code: 'invalid_param', param: 'topic' } },
  })
})

test('behavior: invalid items are rejected one by one, and a request of only invalid items fails', async () => {
  expect(await client.call(rpc('subscribe', ['price', ['a', '?', 1, 'b']], 1))).toMatchObject({
    result: {
      status: 'ok',
      subscribed: ['a', 'b'],
      rejected: [
        { param: '?', reason: 'not an id' },
        { param: 1, reason: 'not an id' },
      ],
    },
  })
  expect(await client.call(rpc('subscribe', ['price', ['?', 1]], 1))).toMatchObject({
    error: { code: -32602, data: { param: 'params', rejected: [{ param: '?' }, { param: 1 }] } },
  })
  expect(await client.call(rpc('unsubscribe', ['price', ['a', 'c', '?']], 1))).toMatchObject({
    result: {
      status: 'ok',
      unsubscribed: ['a'],
      rejected: [
        { param: '?', reason: 'not an id' },
        { param: 'c', reason: 'not subscribed' },
      ],
    },
  })
  expect(await client.call(rpc('unsubscribe', ['price', ['a']], 1))).toMatchObject({
    error: { code: -32602, data: { rejected: [{ param: 'a', reason: 'not subscribed' }] } },
  })
  expect(await client.call(rpc('unsubscribe', [], 1))).toMatchObject({
    result: { status: 'ok', unsubscribed: ['b'], rejected: [] },
  })
  expect(await client.call(rpc('unsubscribe', [], 2))).toMatchObject({
    result: { status: 'ok', unsubscribed: [], rejected: [] },
  })
})

test('behavior: a repeated subscribe takes the new id, and one unsubscribe ends it', async () => {
  await client.call(rpc('subscribe', ['tx', 'a', 'b'], 1))
  await client.call(rpc('subscribe', ['tx', 'a', 'b'], 2))
  service.feed.publish('tx:a-b', pushOf(1))
  expect(await client.next()).toMatchObject({ id: 2, result: { n: 1 } })
  await client.call(rpc('unsubscribe', ['tx', 'a', 'b', { snapshot: true }], 3))
  service.feed.publish('tx:a-b', pushOf(2))
  expect(await answersTo(rpc('ping', [], 4))).toEqual([{ jsonrpc: '2.0', id: 4, result: 'pong' }])
})

test('behavior: an item named twice in a request is one subscription', async () => {
  expect(await client.call(rpc('subscribe', ['price', ['a', 'a']], 1))).toMatchObject({
    result: { subscribed: ['a'] },
  })
  service.feed.publish('price:a', pushOf(1))
  expect(await client.next()).toMatchObject({ result: { n: 1 } })
  expect(await client.call(rpc('unsubscribe', ['price', ['a', 'a']], 2))).toMatchObject({
    result: { unsubscribed: ['a'] },
  })
})

test('behavior: pushes have id 0 if the subscribe was a notification', async () => {
  expect(await answersTo(notification('subscribe', ['tx', 'n', 'b']))).toEqual([])
  service.feed.publish('tx:n-b', pushOf(1))
  expect(await client.next()).toMatchObject({ id: 0, result: { n: 1 } })
  await client.call(rpc('unsubscribe', []))
})

test('behavior: pushes repeat the id of the subscribe, a string or a number', async () => {
  const other = await service.connect()
  const ids = ['1', 1, 'sub "é😀"', '']
  for (const id of ids) {
    await client.call(rpc('subscribe', ['tx', 'a', 'b'], id))
    await other.call(rpc('subscribe', ['tx', 'a', 'b'], 7))
    service.feed.publish('tx:a-b', pushOf(1))
    expect(await client.next()).toMatchObject({ id, result: { n: 1 } })
    expect(await other.next()).toMatchObject({ id: 7, result: { n: 1 } })
  }
  await client.call(rpc('unsubscribe', []))
  await other.call(rpc('unsubscribe', []))
})

test('behavior: a subscribe with options gets detailed pushes', async () => {
  await client.call(rpc('subscribe', ['tx', 'a', 'b', { snapshot: true }], 1))
  service.feed.publish('tx:a-b', pushOf(1))
  expect(await client.next()).toMatchObject({ id: 1, result: { n: 1 }, cursor: '1' })
  await client.call(rpc('unsubscribe', []))
})

test('behavior: the acknowledgement precedes the first push, also in a batch', async () => {
  service.feed.firstPush = pushOf(0)
  expect(await client.call(rpc('subscribe', ['tx', 'a', 'b'], 1))).toHaveProperty('result.status')
  expect(await client.next()).toMatchObject({ id: 1, result: { n: 0 } })
  client.send([
    rpc('subscribe', ['tx', 'a', 'b'], 2),
    rpc('subscribe', ['tx', 'c', 'd'], 3),
    rpc('unsubscribe', ['tx', 'a', 'b'], 4),
    rpc('subscribe', ['tx', 'e', 'f'], 5),
    rpc('subscribe', ['tx', 'e', 'f'], 6),
  ])
  expect(await client.next()).toMatchObject([{ id: 2 }, { id: 3 }, { id: 4 }, { id: 5 }, { id: 6 }])
  expect(await client.next()).toMatchObject({ id: 3, result: { n: 0 } })
  expect(await client.next()).toMatchObject({ id: 6, result: { n: 0 } })
  service.feed.firstPush = null
  expect(await answersTo(rpc('unsubscribe', [], 7))).toHaveLength(1)
  expect(service.feed.subscriberCount()).toBe(0)
})

test('behavior: a nested value is not echoed, and neither depth nor size does harm', async () => {
  const depth = 100_000
  const nested = '['.repeat(depth) + ']'.repeat(depth)
  const params = `["price",["a",${nested},{"x":1}]]`
  expect(
    await client.call(`{"jsonrpc":"2.0","id":1,"method":"subscribe","params":${params}}`),
  ).toMatchObject({
    result: {
      subscribed: ['a'],
      rejected: [{ param: [[null]] }, { param: null }],
    },
  })
  expect(await answersTo(nested)).toEqual([[fault(null, -32600)]])
  expect(await answersTo('{"a":'.repeat(depth) + 1 + '}'.repeat(depth))).toEqual([
    fault(null, -32600),
  ])
  const large = '"'.padEnd(1_000_000, 'x')
  expect(await answersTo(`{"jsonrpc":"2.0","id":1,"method":"ping","params":[${large}"]}`)).toEqual([
    { jsonrpc: '2.0', id: 1, result: 'pong' },
  ])
  await client.call(rpc('unsubscribe', []))
})
