// Conformance to the WebSocket protocol: the cases of the Autobahn test suite that apply to a
// server of text messages.
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  closeFrame,
  maskedFrame,
  openRawWebSocket,
  type RawFrame,
  type RawWebSocket,
} from '../../../../../test/support/rawWebSocket.ts'
import { until } from '../../../../../test/support/until.ts'
import { pushOf } from '../../../../../test/support/wsFeed.ts'
import { rpc, startWsService, type WsService } from '../../../../../test/support/wsService.ts'

let service: WsService

beforeAll(async () => {
  service = await startWsService()
})
afterAll(() => service.stop())

const text = 0x81
const textStart = 0x01
const more = 0x00
const last = 0x80
const ping = 0x89
const pong = 0x8a

const call = JSON.stringify(rpc('ping', ['ünïcode ✓ 🚀']))
const answer = { bits: 0x81, payload: Buffer.from('{"jsonrpc":"2.0","id":1,"result":"pong"}') }

function open(): Promise<RawWebSocket> {
  return openRawWebSocket(service.port)
}

function closeCodeOf(frame: RawFrame | null): number | undefined {
  return frame?.bits === 0x88 ? frame.payload.readUInt16BE(0) : undefined
}

/** Expects that the server still answers the client, and that the connection closes cleanly. */
async function expectAlive(client: RawWebSocket): Promise<void> {
  client.send(maskedFrame(text, call))
  expect(await client.next()).toEqual(answer)
  client.send(closeFrame(1000))
  expect(closeCodeOf(await client.next())).toBe(1000)
  expect(await client.next()).toBeNull()
}

/** Expects that the server closes the connection with a code. */
async function expectFailed(client: RawWebSocket, code: number): Promise<void> {
  expect(closeCodeOf(await client.next())).toBe(code)
  client.socket.destroy()
}

test.each([0, 1, 125])(
  'behavior: the pong to a ping of %i bytes has the same bytes',
  async (bytes) => {
    const client = await open()
    const payload = Buffer.alloc(bytes, 0xfe)
    client.send(maskedFrame(ping, payload))
    expect(await client.next()).toEqual({ bits: pong, payload })
    await expectAlive(client)
  },
)

test('error: a ping of 126 bytes closes the connection', async () => {
  const client = await open()
  client.send(maskedFrame(ping, Buffer.alloc(126)))
  await expectFailed(client, 1002)
})

test('behavior: unsolicited pongs are ignored, and many pings are answered', async () => {
  const client = await open()
  client.send(maskedFrame(pong, 'unasked'))
  client.send(Buffer.concat(Array.from({ length: 10 }, (_, n) => maskedFrame(ping, `${n}`))))
  for (let n = 0; n < 10; n++)
    expect(await client.next()).toEqual({ bits: pong, payload: Buffer.from(`${n}`) })
  await expectAlive(client)
})

test('behavior: a ping that arrives byte by byte is answered', async () => {
  const client = await open()
  for (const byte of maskedFrame(ping, 'slowly')) client.send(Buffer.from([byte]))
  expect(await client.next()).toEqual({ bits: pong, payload: Buffer.from('slowly') })
  await expectAlive(client)
})

test('behavior: a message in fragments may be split inside characters and have pings between', async () => {
  const client = await open()
  const bytes = Buffer.from(call)
  client.send(maskedFrame(textStart, bytes.subarray(0, 1)))
  for (let index = 1; index < bytes.length; index++) {
    client.send(maskedFrame(ping, `${index}`))
    client.send(maskedFrame(more, bytes.subarray(index, index + 1)))
  }
  client.send(maskedFrame(last))
  for (let index = 1; index < bytes.length; index++)
    expect(await client.next()).toEqual({ bits: pong, payload: Buffer.from(`${index}`) })
  expect(await client.next()).toEqual(answer)
  await expectAlive(client)
})

test('behavior: a message may have empty fragments', async () => {
  const client = await open()
  client.send(Buffer.concat([textStart, more, more].map((bits) => maskedFrame(bits))))
  client.send(maskedFrame(last, call))
  expect(await client.next()).toEqual(answer)
  await expectAlive(client)
})

test('behavior: a message of 1 MB in fragments of 1,000 bytes is answered', async () => {
  const client = await open()
  const bytes = Buffer.from(call.padEnd(1_048_576)).subarray(0, 1_048_576)
  for (let start = 0; start < bytes.length; start += 1_000)
    client.send(maskedFrame(start === 0 ? textStart : more, bytes.subarray(start, start + 1_000)))
  client.send(maskedFrame(last))
  expect(await client.next()).toEqual(answer)
  await expectAlive(client)
})

test('error: fragments that together exceed the size limit close the connection', async () => {
  const client = await open()
  client.send(maskedFrame(textStart, Buffer.alloc(1_000_000, ' ')))
  client.send(maskedFrame(last, Buffer.alloc(100_000, ' ')))
  await expectFailed(client, 1009)
})

test.each([
  [
    'a header that announces 2^63 bytes',
    Buffer.from([0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]),
    1009,
  ],
  [
    'a header that announces 1 GiB',
    Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0x40, 0, 0, 0, 1, 2, 3, 4]),
    1009,
  ],
  ['binary', maskedFrame(0x82, call), 1003],
  ['empty binary', maskedFrame(0x82), 1003],
  ['binary in fragments', Buffer.concat([maskedFrame(0x02, 'a'), maskedFrame(last, 'b')]), 1003],
  ['RSV1 without compression', maskedFrame(text | 0x40, call), 1002],
  ['RSV2', maskedFrame(text | 0x20, call), 1002],
  ['RSV3', maskedFrame(text | 0x10, call), 1002],
  ['RSV on a ping', maskedFrame(ping | 0x40), 1002],
  ['opcode 3', maskedFrame(0x83), 1002],
  ['opcode 7', maskedFrame(0x87, 'x'), 1002],
  ['opcode 11', maskedFrame(0x8b), 1002],
  ['opcode 15', maskedFrame(0x8f), 1002],
  ['a ping in fragments', maskedFrame(0x09, 'x'), 1002],
  ['a continuation of nothing', maskedFrame(last, 'x'), 1002],
  ['an unfinished continuation of nothing', maskedFrame(more, 'x'), 1002],
  [
    'a message inside a message',
    Buffer.concat([maskedFrame(textStart, 'a'), maskedFrame(text, 'b')]),
    1002,
  ],
  ['no mask', Buffer.from([0x81, 0x01, 0x20]), 1002],
  [
    'invalid UTF-8',
    maskedFrame(text, Buffer.from('cebae1bdb9cf83cebcceb5eda080656469746564', 'hex')),
    1007,
  ],
  ['UTF-8 cut off', maskedFrame(text, Buffer.from([0xf0, 0x9f, 0x9a])), 1007],
  ['overlong UTF-8', maskedFrame(text, Buffer.from([0xc0, 0xaf])), 1007],
  ['UTF-8 beyond U+10FFFF', maskedFrame(text, Buffer.from([0xf4, 0x90, 0x80, 0x80])), 1007],
  [
    'invalid UTF-8 in fragments',
    Buffer.concat([
      maskedFrame(textStart, Buffer.from([0xce])),
      maskedFrame(last, Buffer.from([0xff])),
    ]),
    1007,
  ],
  ['a close of one byte', maskedFrame(0x88, Buffer.from([3])), 1002],
  ['a close with invalid UTF-8', closeFrame(1000, Buffer.from([0xff])), 1007],
  ['a close of 126 bytes', closeFrame(1000, 'x'.repeat(124)), 1002],
  ...[0, 999, 1004, 1005, 1006, 1015, 1016, 2000, 2999, 5000, 65_535].map(
    (code): [string, Buffer, number] => [`close code ${code}`, closeFrame(code), 1002],
  ),
] as [string, Buffer, number][])('error: %s', async (_name, bytes, code) => {
  const client = await open()
  client.send(bytes)
  await expectFailed(client, code)
})

test.each([1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999])(
  'behavior: close code %i is confirmed',
  async (code) => {
    const client = await open()
    client.send(closeFrame(code, 'x'.repeat(123)))
    expect(closeCodeOf(await client.next())).toBe(code)
    expect(await client.next()).toBeNull()
  },
)

test('behavior: a close without a code is confirmed, and later messages are ignored', async () => {
  const client = await open()
  client.send(Buffer.concat([maskedFrame(0x88), maskedFrame(text, call), maskedFrame(ping)]))
  expect((await client.next())?.bits).toBe(0x88)
  expect(await client.next()).toBeNull()
})

test('behavior: no push follows the close frame', async () => {
  const client = await open()
  client.send(maskedFrame(text, JSON.stringify(rpc('subscribe', ['tx', 'closing', 'x']))))
  await client.next()
  const { subscriptions } = service.server.stats()
  client.send(closeFrame(1000))
  // The feed keeps pushing until the server has released the socket.
  await until('the socket is gone', () => {
    service.feed.publish('tx:closing-x', pushOf(1))
    return service.server.stats().subscriptions < subscriptions
  })
  let frame = await client.next()
  while (frame?.bits === 0x81) frame = await client.next()
  expect(closeCodeOf(frame)).toBe(1000)
  expect(await client.next()).toBeNull()
})

test('behavior: a client that disconnects without a close frame is removed', async () => {
  await until('those of earlier tests are gone', () => service.server.stats().sockets === 0)
  const ended = await open()
  const cut = await open()
  await until('both are open', () => service.server.stats().sockets === 2)
  // A half-open socket: the client ends its sending side and leaves the connection open.
  ended.socket.end()
  cut.socket.resetAndDestroy()
  await until('both are gone', () => service.server.stats().sockets === 0)
  expect(await ended.next()).toBeNull()
})
