import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openNatsLogReader } from '../../packages/server/src/log/nats/natsLogReader.ts'
import { openNatsLogWriter, trimStream } from '../../packages/server/src/log/nats/natsLogWriter.ts'
import {
  connectNats,
  type NatsOptions,
  type NatsServer,
} from '../../packages/server/src/log/nats/natsServer.ts'
import { type NatsStream, openNatsStream } from '../../packages/server/src/log/nats/natsStream.ts'
import type { BlockWrite } from '../../packages/server/src/store/blockWrite.ts'
import { describeLog } from '../support/logContract.ts'
import { type NatsServers, startNatsServers } from '../support/natsServers.ts'
import { silentLogger } from '../support/postgres.ts'
import { createWriteSequence } from '../support/storeWrites.ts'
import { unreleasedFolder } from '../support/unreleasedStore.ts'
import { until } from '../support/until.ts'

let single: NatsServers
let cluster: NatsServers
let chainCount = 0

beforeAll(async () => {
  single = await startNatsServers(1)
  cluster = await startNatsServers(3)
})
afterAll(async () => {
  await single?.stop()
  await cluster?.stop()
})

async function openServer(servers: NatsServers, change: Partial<NatsOptions> = {}) {
  const server = await connectNats({
    urls: servers.urls,
    streamBytesMax: 100_000_000,
    prefix: 'test',
    ...change,
  })
  onTestFinished(server.close)
  return server
}

/** Positions of the log's consumers and snapshots, as the store keeps them. */
function createPositions() {
  const acknowledged = new Map<string, number>()
  let snapshotSeq = 0
  return {
    async acknowledge(consumer: string, seq: number) {
      acknowledged.set(consumer, Math.max(seq, acknowledged.get(consumer) ?? 0))
    },
    acknowledged: async () =>
      [...acknowledged].sort().map(([consumer, seq]) => ({ consumer, seq })),
    spentSeq: async () => Math.min(snapshotSeq, ...acknowledged.values()),
    async saveSnapshot(seq: number) {
      snapshotSeq = seq
    },
  }
}

async function openLog(servers: NatsServers, change: Partial<NatsOptions> = {}) {
  const chain = 'local'
  chainCount += 1
  const chainId = chainCount
  const positions = createPositions()
  const server = await openServer(servers, change)
  const openWriter = async (storedSeq = 0) => {
    const writer = await openNatsLogWriter<BlockWrite>({
      stream: openNatsStream(server, chainId),
      chain,
      storedSeq,
      logger: silentLogger,
      spentSeq: positions.spentSeq,
    })
    onTestFinished(writer.close)
    return writer
  }
  const reading = await openServer(servers, change)
  return {
    chain,
    server,
    openWriter,
    chainId,
    saveSnapshot: positions.saveSnapshot,
    openReader: () => openNatsLogReader(openNatsStream(reading, chainId), chain, positions),
  }
}

async function openWritten(servers: NatsServers) {
  const log = await openLog(servers)
  return { ...log, writer: await log.openWriter() }
}

describe('on one server', () => describeLog(() => openWritten(single)))
describe('on three servers', () => describeLog(() => openWritten(cluster)))

async function seqsOf(log: ReturnType<typeof openNatsLogReader>, fromSeq: number) {
  const seqs: number[] = []
  for await (const { seq } of log.read(fromSeq)) seqs.push(seq)
  return seqs
}

test('behavior: an entry larger than a message is stored completely or not at all', async () => {
  const { openWriter, openReader } = await openLog(single)
  const writer = await openWriter()
  const tape = createWriteSequence(1)
  const large = Buffer.alloc(3_000_000, 'chaintape')
  const write = tape.commit()
  writer.append({ ...write, entries: [{ ...write.entries[0]!, bytes: large }] })
  writer.append(tape.commit())
  await writer.flush()
  const read: Uint8Array[] = []
  for await (const { bytes } of openReader().read(1)) read.push(bytes)
  expect(read).toHaveLength(2)
  expect(large.equals(read[0]!)).toBe(true)
})

test.each([
  ['one server', () => single],
  ['three servers', () => cluster],
])(
  'behavior: on %s, a new writer fences off the previous one, even in the middle of an entry',
  async (_, servers) => {
    const { openWriter, openReader } = await openLog(servers())
    const [deposedTape, tape] = [createWriteSequence(1), createWriteSequence(1)]
    const deposed = await openWriter()
    deposed.append(deposedTape.commit())
    await deposed.flush()
    tape.commit()
    const leader = await openWriter()
    expect(leader.firstSeq).toBe(1)
    const late = deposedTape.commit()
    deposed.append({ ...late, entries: [{ ...late.entries[0]!, bytes: Buffer.alloc(2_000_000) }] })
    await expect(deposed.flush()).rejects.toMatchObject({ code: 'LOG_MOVED' })
    expect(() => deposed.append(deposedTape.commit())).toThrow()
    leader.append(tape.commit())
    await leader.flush()
    expect(await seqsOf(openReader(), 1)).toEqual([1, 2])
  },
)

test.each([
  ['one server', () => single],
  ['three servers', () => cluster],
])(
  'behavior: on %s, a fenced writer with messages in flight leaves the acknowledged ones, without a gap',
  async (_, servers) => {
    const { openWriter, openReader } = await openLog(servers())
    const deposedTape = createWriteSequence(1)
    const deposed = await openWriter()
    let appended = 0
    const appending = (async () => {
      for (;;) {
        for (let left = 100; left > 0; left -= 1) {
          deposed.append(deposedTape.commit())
          appended += 1
        }
        await delay(20)
      }
    })().catch((error: unknown) => error)
    await until('some are acknowledged', () => appended - deposed.pending().steps > 100)
    const leader = await openWriter()
    expect(await appending).toMatchObject({ code: 'LOG_MOVED' })
    expect(appended - deposed.pending().steps).toBeLessThanOrEqual(leader.firstSeq)
    const next = createWriteSequence(1).commit()
    expect(leader.append({ ...next, expectedSeq: leader.firstSeq })).toBe(leader.firstSeq + 1)
    await leader.flush()
    const seqs = Array.from({ length: leader.firstSeq + 1 }, (_, index) => index + 1)
    expect(await seqsOf(openReader(), 1)).toEqual(seqs)
  },
)

test('behavior: a new log next to a store continues after it, and a log that ends before it is refused', async () => {
  const { openWriter, openReader } = await openLog(single)
  const writer = await openWriter(500)
  const tape = createWriteSequence(1)
  writer.append({ ...tape.commit(), expectedSeq: 500 })
  await writer.flush()
  expect(await seqsOf(openReader(), 501)).toEqual([501])
  await expect(seqsOf(openReader(), 400)).rejects.toMatchObject({ code: 'LOG_GAP' })
  await expect(openWriter(600)).rejects.toMatchObject({ code: 'LOG_BEHIND_STORE' })
})

test('behavior: a reader that searches its position misses no new entry, and none is trimmed', async () => {
  const { chain, server, chainId, openWriter, openReader } = await openLog(single)
  const writer = await openWriter()
  const tape = createWriteSequence(1)
  const appendSome = async () => {
    for (let left = 10; left > 0; left -= 1) writer.append(tape.commit())
    await writer.flush()
  }
  await appendSome()
  const stream = openNatsStream(server, chainId)
  const isWrittenMeanwhile = (): NatsStream => ({
    ...stream,
    async findFirst(holds) {
      const found = await stream.findFirst(holds)
      await appendSome()
      return found
    },
  })
  const stopping = new AbortController()
  const received: number[] = []
  const reader = openNatsLogReader(isWrittenMeanwhile(), chain, createPositions())
  for await (const { seq } of reader.follow(11, stopping.signal)) {
    received.push(seq)
    if (seq === 20) stopping.abort()
  }
  expect(received).toEqual(Array.from({ length: 10 }, (_, index) => index + 11))

  await trimStream(isWrittenMeanwhile(), 20, Number.MAX_SAFE_INTEGER)
  const kept = await seqsOf(openReader(), 21)
  expect(kept).toEqual(Array.from({ length: 20 }, (_, index) => index + 21))
})

test('error: a server that does not know the whole stream yet is asked again, and shows no gap', async () => {
  const { chain, server, chainId, openWriter } = await openLog(single)
  const writer = await openWriter()
  const tape = createWriteSequence(1)
  for (let left = 100; left > 0; left -= 1) writer.append(tape.commit())
  await writer.flush()
  const { streams } = server.manager
  const lagging: NatsServer = {
    ...server,
    manager: Object.create(server.manager, {
      streams: {
        value: Object.create(streams, {
          getMessage: {
            value: (name: string, query: { seq: number }) =>
              streams.getMessage(name, query.seq > 30 ? { seq: 1_000 } : query),
          },
        }),
      },
    }),
  }
  const reader = openNatsLogReader(openNatsStream(lagging, chainId), chain, createPositions())
  const first = reader.follow(60, new AbortController().signal)[Symbol.asyncIterator]().next()
  await expect(first).rejects.toMatchObject({ code: 'NATS_UNAVAILABLE' })
})

test('behavior: losing any of three servers, or all of them, loses and duplicates no entry', async () => {
  const { openWriter, openReader } = await openLog(cluster)
  const writer = await openWriter()
  const tape = createWriteSequence(1)
  const stopping = new AbortController()
  const received: number[] = []
  const following = (async () => {
    let next = 1
    while (!stopping.signal.aborted)
      try {
        for await (const { seq } of openReader().follow(next, stopping.signal)) {
          received.push(seq)
          next = seq + 1
          if (seq === 400) stopping.abort()
        }
      } catch (error) {
        expect(error).toMatchObject({ code: 'NATS_UNAVAILABLE' })
      }
  })()
  const appendSome = () => {
    for (let left = 100; left > 0; left -= 1) writer.append(tape.commit())
  }
  appendSome()
  for (const index of [0, 1, 2]) {
    await cluster.kill(index)
    appendSome()
    if (index === 2) for (const other of [0, 1]) await cluster.kill(other)
    for (const other of [0, 1, 2]) {
      await cluster.kill(other)
      await cluster.start(other)
    }
    await writer.flush()
  }
  await following
  expect(received).toEqual(Array.from({ length: 400 }, (_, index) => index + 1))
  // Servers that restarted a moment ago may still elect a leader.
  let read: number[] = []
  await until('the log is read', async () => {
    read = await seqsOf(openReader(), 1).catch((error) => {
      expect(error).toMatchObject({ code: 'NATS_UNAVAILABLE' })
      return []
    })
    return read.length >= received.length
  })
  expect(read).toEqual(received)
})

test('behavior: waits for servers without a leader', async () => {
  const servers = await startNatsServers(3)
  onTestFinished(servers.stop)
  for (const index of [0, 1, 2]) await servers.kill(index)
  // One server of three cannot elect a leader.
  await servers.start(2)
  const opened = openServer({ ...servers, urls: servers.urls.slice(2) })
  // Longer than the timeout of a call.
  expect(await Promise.race([opened, delay(6_000, 'still waits')])).toBe('still waits')
  for (const index of [0, 1]) await servers.start(index)
  expect((await opened).connection.isClosed()).toBe(false)
})

test('error: servers that are down or refuse the credentials are named without the credentials', async () => {
  const guarded = await startNatsServers(1, ['--user', 'tape', '--pass', 'secret-word'])
  onTestFinished(guarded.stop)
  await openServer(guarded, { user: 'tape', password: 'secret-word' })
  const refused = await openServer(guarded, { user: 'tape', password: 'wrong' }).catch((e) => e)
  expect(refused).toMatchObject({ code: 'NATS_UNAVAILABLE' })
  expect(`${refused}`).not.toContain('wrong')
  await expect(openServer({ ...guarded, urls: ['nats://127.0.0.1:1'] })).rejects.toMatchObject({
    code: 'NATS_UNAVAILABLE',
  })
})

test('error: a stream from before 1.0.0 is refused and left as it is', async () => {
  const {
    subject,
    messages,
    stream: name,
  } = JSON.parse(await readFile(join(unreleasedFolder, 'stream.json'), 'utf8')) as {
    stream: string
    subject: string
    messages: { headers: [string, string][]; data: string }[]
  }
  const server = await openServer(single, { prefix: 'chaintape' })
  await server.manager.streams.add({ name, subjects: [subject] })
  for (const { headers, data } of messages)
    await server.client.publish(subject, Buffer.from(data, 'base64'), {
      headers: server.createHeaders(
        Object.fromEntries(headers.map(([key, value]) => [key, [value]])),
      ),
    })
  const stream = openNatsStream(server, 1)
  expect(stream.name).toBe(name)
  const stateOf = async () => (await server.manager.streams.info(name)).state
  const before = await stateOf()
  expect(before.messages).toBe(messages.length)
  const refused = {
    code: 'LOG_UNRELEASED',
    retryable: false,
    message: expect.stringMatching(
      /before 1\.0\.0.*nats stream rm chaintape_1.*Nothing was changed/s,
    ),
  }
  const { spentSeq } = createPositions()
  const options = { stream, chain: 'local', logger: silentLogger, spentSeq }
  for (const storedSeq of [0, 2])
    await expect(openNatsLogWriter({ ...options, storedSeq })).rejects.toMatchObject(refused)
  const reader = openNatsLogReader(stream, 'local', createPositions())
  await expect(reader.lastSeq()).rejects.toMatchObject(refused)
  const { signal } = new AbortController()
  await expect(reader.follow(1, signal)[Symbol.asyncIterator]().next()).rejects.toMatchObject(
    refused,
  )
  expect(await stateOf()).toEqual(before)
})
