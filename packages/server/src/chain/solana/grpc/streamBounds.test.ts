// A node that streams blocks cannot make the process keep more than its limits.
import { createServer, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { until } from '../../../../../../test/support/until.ts'
import { createLogger } from '../../../lib/logger.ts'
import { createBlockFeed } from './blockFeed.ts'
import { bytesField, framed, numberField, streamBlocks } from './grpcStream.ts'

const closers: (() => void)[] = []

afterEach(() => {
  for (const close of closers.splice(0)) close()
})

async function startStream(onStream: (stream: ServerHttp2Stream) => void): Promise<string> {
  const server = createServer()
  server.on('stream', (stream: ServerHttp2Stream) => {
    stream.on('error', () => undefined)
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' })
    onStream(stream)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const mib = 1_048_576

test.each([
  ['longer than 64 MiB', [0, 4, 0, 0, 1], `it has ${64 * mib + 1} bytes`],
  ['compressed', [1, 0, 0, 0, 1], 'it is compressed'],
])('error: a message that is %s ends the stream at its head', async (_, head, fault) => {
  const url = await startStream((stream) => stream.write(Buffer.from(head)))
  const { signal } = new AbortController()
  const ended = await streamBlocks({
    url,
    commitment: 'confirmed',
    signal,
    onBlock: () => undefined,
  })
  expect(ended).toBe(`What it says is no message: ${fault}`)
})

/** A block of this slot; only its size matters. */
function blockOf(slot: number, bytes: number): Buffer {
  const block = Buffer.concat([
    numberField(1, slot),
    bytesField(2, Buffer.from(`hash ${slot}`)),
    numberField(7, slot - 1),
    bytesField(8, Buffer.from(`hash ${slot - 1}`)),
    bytesField(15, Buffer.alloc(bytes)),
  ])
  return framed(bytesField(5, block))
}

test('behavior: of large blocks fewer are kept, the newest ones', async () => {
  const url = await startStream((stream) => {
    for (let slot = 1; slot <= 10; slot += 1) stream.write(blockOf(slot, mib))
  })
  const ending = new AbortController()
  closers.push(() => ending.abort())
  const feed = createBlockFeed({
    endpoints: [{ url }],
    commitment: 'confirmed',
    logger: createLogger('silent'),
    clock: { nowMs: Date.now },
    signal: ending.signal,
    keptBytesMax: 3 * mib + 1_000,
  })
  await until('the last block came', () => feed.newest() === 10)
  const kept = Array.from({ length: 10 }, (_, at) => at + 1).filter((slot) => feed.take(slot))
  expect(kept).toEqual([8, 9, 10])
})
