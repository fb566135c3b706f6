import { inflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { pushOf } from '../../../../../../test/support/wsFeed.ts'
import type { Push } from '../../feed/push.ts'
import { FrameBatch, FrameCache } from './flushQueue.ts'
import {
  canInflateSharedTail,
  deflateTail,
  joinFrames,
  PushFrame,
  pushFrameBytes,
  textFrame,
} from './frames.ts'

/** Decodes a frame by RFC 6455, 5.2, independently of the code under test. */
function readFrame(frame: Buffer): { bits: number; payload: Buffer } {
  const length7 = frame[1]!
  if (length7 < 126) return sized(frame, 2, length7)
  if (length7 === 126) return sized(frame, 4, frame.readUInt16BE(2))
  return sized(frame, 10, Number(frame.readBigUInt64BE(2)))
}

function sized(frame: Buffer, offset: number, length: number) {
  expect(frame.length).toBe(offset + length)
  return { bits: frame[0]!, payload: frame.subarray(offset) }
}

/** Returns the bytes of a push frame that is sent alone. */
function bytesOf(id: number | string, tail: Buffer, isDeflated: boolean): Buffer {
  const frame = new PushFrame(id, tail, isDeflated)
  return joinFrames([frame], frame.length)
}

test.each([
  [0, 2],
  [1, 2],
  [125, 2],
  [126, 4],
  [127, 4],
  [65_535, 4],
  [65_536, 10],
  [1_000_000, 10],
])('args: a text of %i bytes has a header of %i', (bytes, headerBytes) => {
  const frame = textFrame('x'.repeat(bytes))
  expect(frame.length).toBe(headerBytes + bytes)
  const { bits, payload } = readFrame(frame)
  expect(bits).toBe(0x81)
  expect(payload.equals(Buffer.alloc(bytes, 'x'))).toBe(true)
})

test('args: frame lengths count bytes, not characters', () => {
  expect(readFrame(textFrame('é'.repeat(63))).payload.toString()).toBe('é'.repeat(63))
})

test.each([0, 1, -1, 125, 1_000_000, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])(
  'args: a push for id %i, at every length of a header',
  (id) => {
    const headBytes = `{"id":${id}`.length
    for (const bytes of [125, 126, 65_535, 65_536]) {
      const tail = Buffer.from(',"x":1}'.padStart(bytes - headBytes))
      const frame = bytesOf(id, tail, false)
      expect(readFrame(frame).payload.length).toBe(bytes)
      expect(frame.length).toBe(pushFrameBytes(id, tail))
      expect(readFrame(frame).payload.toString()).toBe(`{"id":${id}${tail}`)
    }
  },
)

test('args: the id of a push may be any text', () => {
  const tail = Buffer.from(',"x":"é"}')
  for (const id of ['', '1', ' "\\\n\u0000é漢😀']) {
    const frame = bytesOf(id, tail, false)
    expect(frame.length).toBe(pushFrameBytes(id, tail))
    expect(JSON.parse(readFrame(frame).payload.toString())).toEqual({ id, x: 'é' })
  }
})

test.each([300, 900, 65_000, 70_000, 300_000])(
  'args: a compressed push of %i bytes inflates to its text',
  (bytes) => {
    const { plain } = pushOf(1, { padBytes: bytes })
    const deflated = deflateTail(plain)!
    for (const id of [0, 7, -1, Number.MAX_SAFE_INTEGER]) {
      const { bits, payload } = readFrame(bytesOf(id, deflated, true))
      expect(bits).toBe(0xc1)
      // RFC 7692, 7.2.2: the receiver appends these four bytes and inflates.
      const message = Buffer.concat([payload, Buffer.from([0, 0, 0xff, 0xff])])
      expect(inflateRawSync(message, { finishFlush: 2 }).toString()).toBe(`{"id":${id}${plain}`)
    }
  },
)

test('behavior: a small or incompressible push is not compressed', () => {
  expect(deflateTail(Buffer.alloc(255))).toBeNull()
  const noise = Buffer.from(Array.from({ length: 256 }, (_, index) => (index * 167) % 256))
  expect(deflateTail(noise)).toBeNull()
})

test.each([
  [undefined, false],
  ['Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover', true],
  ['Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=15', true],
  ['Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=10', false],
])('args: whether the extensions %s allow compression', (header, isAgreed) => {
  expect(canInflateSharedTail(header)).toBe(isAgreed)
})

test('behavior: a frame is built once per push, id and variant, until the cache is cleared', () => {
  const cache = new FrameCache()
  const push = pushOf(1, { padBytes: 500 })
  const other = pushOf(2)
  const frame = cache.frame(push, 1, false, false)
  expect(cache.frame(other, 1, false, false)).not.toBe(frame)
  expect(cache.frame(push, 2, false, false)).not.toBe(frame)
  expect(cache.frame(push, 1, true, false)).not.toBe(frame)
  const deflated = cache.frame(push, 1, false, true)
  expect(joinFrames([deflated], deflated.length)[0]).toBe(0xc1)
  expect(cache.frame(push, 3, false, false)).toBe(cache.frame(push, 3, false, false))
  expect(cache.frame(push, 1, false, false)).toBe(frame)
  cache.clear()
  expect(cache.frame(push, 1, false, false)).not.toBe(frame)
})

test('behavior: a push is compressed once for all ids', () => {
  const cache = new FrameCache()
  let made = 0
  const push: Push = {
    ...pushOf(1),
    detailed() {
      made += 1
      return pushOf(1, { padBytes: 500 }).plain
    },
  }
  for (let id = 0; id < 10; id++) cache.frame(push, id, true, true)
  expect(made).toBe(1)
})

test('behavior: sockets with the same frames share one buffer', () => {
  const root = FrameBatch.createRoot()
  const [a, b, c] = ['a', 'b', 'c'].map((text) => textFrame(text)) as [Buffer, Buffer, Buffer]
  const first = root.withShared(a).withShared(b)
  const second = root.withShared(a).withShared(b)
  const third = root.withShared(a).withShared(c)
  const fourth = root.withShared(a).withShared(b)
  expect(second.join()).toBe(first.join())
  expect(fourth.join()).toBe(first.join())
  expect(first.join()).toEqual(Buffer.concat([a, b]))
  expect(third.join()).toEqual(Buffer.concat([a, c]))
  expect(root.withShared(a).join()).toBe(a)
  expect(root.withUnshared(a).withShared(b).join()).toEqual(Buffer.concat([a, b]))
  expect(first.bytes).toBe(a.length + b.length)
  root.clear()
  expect(root.withShared(a).withShared(b).join()).not.toBe(first.join())
})
