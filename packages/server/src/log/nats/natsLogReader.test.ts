import { expect, test, vi } from 'vitest'
import type { LogRow } from '../log.ts'
import { openNatsLogReader } from './natsLogReader.ts'
import { trimStream } from './natsLogWriter.ts'
import type { NatsServer } from './natsServer.ts'
import { openNatsStream } from './natsStream.ts'
import {
  encodeMessageHeader,
  encodeStep,
  type MessageHeader,
  messageHeaderName,
  splitPayload,
} from './stepMessages.ts'

type Message = { seq: number; header: { get(name: string): string }; data: Uint8Array }

const missing = (code: number) => Object.assign(new Error('not found'), { code })

/** A JetStream server with one stream in memory; it reports what is missing as a server does. */
function openServer() {
  const messages: Message[] = []
  let lastAt = 0
  const counts = { open: 0, closed: 0, added: 0 }
  let wake = () => {}
  const find = (query: { seq?: number }) => {
    const found =
      query.seq === undefined ? messages.at(-1) : messages.find(({ seq }) => seq === query.seq)
    if (found === undefined) throw missing(10_037)
    return found
  }
  const manager = {
    streams: {
      info: async () => {
        if (counts.added === 0) throw missing(10_059)
        return { state: { first_seq: messages[0]?.seq ?? lastAt + 1, last_seq: lastAt } }
      },
      add: async () => {
        counts.added += 1
      },
      getMessage: async (_: string, query: { seq?: number }) => find(query),
      purge: async (_: string, { seq }: { seq: number }) => {
        messages.splice(0, messages.filter((one) => one.seq < seq).length)
      },
    },
  }
  const consumers = {
    get: async (_: string, { opt_start_seq: from }: { opt_start_seq: number }) => ({
      async consume() {
        let isStopped = false
        counts.open += 1
        async function* read() {
          let at = from
          while (!isStopped) {
            const next = messages.find(({ seq }) => seq >= at)
            if (next === undefined) {
              await new Promise<void>((resolve) => {
                wake = resolve
              })
              continue
            }
            at = next.seq + 1
            yield { seq: next.seq, headers: next.header, data: next.data }
          }
        }
        const stop = () => {
          isStopped = true
          wake()
        }
        return Object.assign(read(), {
          stop,
          close: async () => {
            counts.closed += 1
            stop()
          },
        })
      },
    }),
  }
  const server = {
    options: { urls: ['nats://a'], prefix: 'tape', streamBytesMax: 1e6 },
    manager,
    client: { consumers },
  } as unknown as NatsServer
  function put(place: MessageHeader, bytes: Uint8Array) {
    lastAt += 1
    const get = (name: string) => (name === messageHeaderName ? encodeMessageHeader(place) : '')
    messages.push({ seq: lastAt, header: { get }, data: bytes })
    wake()
  }
  let lastSeq = 0
  /**
   * Appends a step of so many entries in messages of at most so many bytes; `partsMax`: the rest is
   * never sent.
   */
  function append(count: number, { bytesMax = 1e6, partsMax = 1e6, timeS = 5 } = {}) {
    const before = lastSeq
    const entries = Array.from({ length: count }, (_, at): LogRow => {
      const ref = { number: before + at + 1, hash: 'h', parentNumber: 0, parentHash: '', timeS }
      return { type: 'commit', ref, bytes: Buffer.from(`entry ${before + at + 1}`), undo: null }
    })
    const payload = encodeStep({ entries, carried: Buffer.from(`after ${before}`) })
    const parts = splitPayload(payload, bytesMax)
    const isWhole = parts.length <= partsMax
    for (const [part, bytes] of parts.slice(0, partsMax).entries()) {
      const isLast = part === parts.length - 1
      const place = { part, parts: parts.length, timeS }
      put({ lastSeq: isLast ? before + count : before, ...place }, bytes)
    }
    if (isWhole) lastSeq += count
    return parts.length
  }
  return { server, append, put, counts, messages }
}

const positions = { acknowledge: async () => undefined, acknowledged: async () => [] }

async function openLog() {
  const fake = openServer()
  const stream = openNatsStream(fake.server, 3)
  await stream.ensure()
  return { ...fake, stream, log: openNatsLogReader(stream, 'local', positions) }
}

async function listed<item>(items: AsyncIterable<item>): Promise<item[]> {
  const all: item[] = []
  for await (const item of items) all.push(item)
  return all
}

const textsOf = async (entries: AsyncIterable<{ seq: number; bytes: Uint8Array }>) =>
  (await listed(entries)).map(({ seq, bytes }) => `${seq} ${Buffer.from(bytes)}`)
const textsFrom = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => `${first + at} entry ${first + at}`)

test('an empty log ends at once, and is read without a consumer', async () => {
  const { log, counts, stream } = await openLog()
  expect(await log.lastSeq()).toBe(0)
  expect(await listed(log.read(1))).toEqual([])
  expect(await listed(log.readSteps(1))).toEqual([])
  expect(counts).toEqual({ open: 0, closed: 0, added: 1 })
  await stream.ensure()
  expect(counts.added).toBe(1)
})

test('steps are read with what was appended with them, up to the end at that moment', async () => {
  const { log, append, counts } = await openLog()
  append(2)
  const partCount = append(3, { bytesMax: 40 })
  expect(partCount).toBeGreaterThan(3)
  append(1)
  const steps = await listed(log.readSteps(3))
  expect(steps.map(({ seq, entries, carried }) => [seq, entries.length, String(carried)])).toEqual([
    [3, 3, 'after 2'],
    [6, 1, 'after 5'],
  ])
  expect(steps[0]!.entries.map(({ bytes }) => String(bytes))).toEqual([
    'entry 3',
    'entry 4',
    'entry 5',
  ])
  // Every reading gave its consumer back.
  expect(counts).toMatchObject({ open: 1, closed: 1 })
})

test.each([1, 2, 3, 4, 5, 6, 7, 8, 9])(
  'reading from entry %i gives it and all later ones',
  async (from) => {
    const { log, append } = await openLog()
    for (const count of [2, 3, 1, 2]) append(count, { bytesMax: 60 })
    expect(await log.lastSeq()).toBe(8)
    expect(await textsOf(log.read(from))).toEqual(textsFrom(from, 8))
  },
)

test('the parts of a writer that was replaced are no entries', async () => {
  const { log, append, put } = await openLog()
  append(2)
  append(2, { bytesMax: 40, partsMax: 2 })
  put({ lastSeq: 2, part: 0, parts: 0, timeS: 0 }, Buffer.alloc(0))
  append(2, { bytesMax: 40 })
  expect(await textsOf(log.read(1))).toEqual(textsFrom(1, 4))
  expect(await textsOf(log.read(3))).toEqual(textsFrom(3, 4))
})

test('a followed log goes on with what is appended, until it is stopped', async () => {
  const { log, append, counts } = await openLog()
  append(1)
  const ending = new AbortController()
  const followed: number[] = []
  const following = (async () => {
    for await (const { seq } of log.follow(1, ending.signal)) followed.push(seq)
  })()
  await vi.waitFor(() => expect(followed).toEqual([1]))
  append(2)
  await vi.waitFor(() => expect(followed).toEqual([1, 2, 3]))
  ending.abort()
  await following
  expect(counts).toMatchObject({ open: 1, closed: 1 })
})

test('error: entries that were dropped are a gap', async () => {
  const { log, append, stream, messages } = await openLog()
  for (const count of [2, 2, 2]) append(count)
  await stream.dropBefore(3)
  expect(messages.map(({ seq }) => seq)).toEqual([3])
  await expect(listed(log.read(1))).rejects.toMatchObject({ code: 'LOG_GAP' })
  await expect(listed(log.readSteps(3))).rejects.toMatchObject({ code: 'LOG_GAP' })
  expect(await textsOf(log.read(5))).toEqual(textsFrom(5, 6))
})

test('the first step for which something holds is found, and where the next one would be', async () => {
  const { append, stream } = await openLog()
  expect(await stream.findFirst(() => true)).toEqual({ firstAt: 1, message: null })
  const parts = append(4, { bytesMax: 60 })
  append(1)
  append(1)
  const from = (seq: number) => stream.findFirst(({ place }) => place.lastSeq >= seq)
  expect(await from(1)).toMatchObject({ firstAt: 1, message: { at: parts } })
  expect(await from(4)).toMatchObject({ firstAt: 1, message: { at: parts } })
  expect(await from(5)).toMatchObject({ firstAt: parts + 1, message: { at: parts + 1 } })
  expect(await from(6)).toMatchObject({ firstAt: parts + 2 })
  expect(await stream.last()).toMatchObject({ at: parts + 2, place: { lastSeq: 6, timeS: 5 } })
  expect(await stream.messageAt(99)).toBeNull()
})

const dayS = 86_400

test.each([
  ['nothing while nothing is spent', 0, 9, 1],
  ['whole days before the time', 99, 2, 3],
  ['a day only once its last entry is spent', 3, 9, 1],
  ['and then all of it', 4, 9, 3],
  ['never the last step', 99, 9, 5],
  ['nothing before the first day', 99, 1, 1],
])('trimming a log drops %s', async (_, spentSeq, beforeDay, firstAt) => {
  const { append, stream, messages } = await openLog()
  // Two steps of two entries on each of three days.
  for (const day of [1, 1, 2, 2, 3]) append(2, { timeS: day * dayS + 50 })
  await trimStream(stream, spentSeq, beforeDay * dayS)
  expect(messages[0]!.seq).toBe(firstAt)
  expect(messages.at(-1)!.seq).toBe(5)
})

test('trimming keeps all parts of the last step, and an empty log as it is', async () => {
  const { append, stream, messages } = await openLog()
  await trimStream(stream, 9, 9 * dayS)
  append(2, { timeS: dayS })
  const parts = append(2, { timeS: dayS, bytesMax: 40 })
  await trimStream(stream, 99, 9 * dayS)
  expect(messages.map(({ seq }) => seq)).toEqual(Array.from({ length: parts }, (_, at) => at + 2))
})
