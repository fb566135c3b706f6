import { expect, onTestFinished, test, vi } from 'vitest'
import { silentLogger } from '../../../../../test/support/postgres.ts'
import { createRandom } from '../../../../../test/support/random.ts'
import { NatsOutbox } from './natsOutbox.ts'
import { answerMsMax } from './natsServer.ts'
import type { NatsStream, StreamMessage } from './natsStream.ts'

type Sent = { head: Record<string, string[]>; bytes: Uint8Array; reply: string }

const expectedSeq = 'Nats-Expected-Last-Sequence'
const expectedId = 'Nats-Expected-Last-Msg-Id'
const idOf = ({ head }: Sent) => head['Nats-Msg-Id']![0]!

/**
 * A stream that checks expected sequences like a server; the test decides the answer to each
 * message.
 */
function createStream() {
  const stored: { id: string; place: StreamMessage['place'] }[] = []
  const sent: Sent[] = []
  let hear: (error: null, message: object) => void = () => undefined
  let close: () => void = () => undefined
  const answer = ({ reply }: Sent, value: object | null) => {
    const data = value === null ? new Uint8Array() : Buffer.from(JSON.stringify(value))
    hear(null, { subject: reply, data, headers: { code: 503 }, json: () => value })
  }
  const put = (message: Sent): object => {
    const { head } = message
    const at = stored.findIndex(({ id }) => id === idOf(message))
    if (at >= 0) return { seq: at + 1, duplicate: true }
    if (Number(head[expectedSeq]![0]) !== stored.length)
      return { error: { err_code: 10_071, description: 'wrong last sequence' } }
    const before = head[expectedId]?.[0]
    if (before !== undefined && before !== stored.at(-1)?.id)
      return { error: { err_code: 10_070, description: 'wrong last message' } }
    stored.push({ id: idOf(message), place: { lastSeq: 0, part: 0, parts: 1, timeS: 0 } })
    return { seq: stored.length }
  }
  const connection = {
    publish: (
      _: string,
      bytes: Uint8Array,
      { headers, reply }: { headers: never; reply: string },
    ) => void sent.push({ head: headers, bytes, reply }),
    subscribe(_: string, { callback }: { callback: typeof hear }) {
      hear = callback
      const closed = new Promise<void>((resolve) => {
        close = () => resolve()
      })
      return { closed, unsubscribe: () => close() }
    },
  }
  const stream = {
    subject: 'log',
    server: {
      connection,
      createHeaders: (values: object) => values,
      createInbox: () => 'inbox',
      options: { urls: ['nats://a'] },
    },
    messageAt: async (at: number) => stored[at - 1] ?? null,
    last: async () => stored.at(-1) ?? null,
  } as unknown as NatsStream
  return { stream, stored, sent, put, answer, close: () => close() }
}

type FakeStream = ReturnType<typeof createStream>

function openOutbox({ stream }: FakeStream) {
  const told: string[] = []
  let at = 0
  const outbox = new NatsOutbox({
    stream,
    chain: 'local',
    logger: silentLogger,
    onFatal: ({ code }) => void told.push(code),
  })
  onTestFinished(() => outbox.stop())
  const push = (name: string, sizes: readonly number[] = [10]) =>
    outbox.push({
      bytes: sizes.reduce((sum, size) => sum + size, 0),
      encode: () =>
        sizes.map((size, part) => {
          at += 1
          const place = { lastSeq: at, part, parts: sizes.length, timeS: 0 }
          return { at, id: `ours ${at}`, place, bytes: new Uint8Array(size) }
        }),
      onStored: () => void told.push(name),
    })
  return { outbox, push, told }
}

/** Answers all sent messages as `fate` says, until no more come. */
async function serve(
  fake: FakeStream,
  flushed: Promise<unknown>,
  fate: () => 'put' | 'lost' | 'unanswered',
): Promise<void> {
  let isOver = false
  const over = flushed.finally(() => {
    isOver = true
  })
  over.catch(() => undefined)
  while (!isOver) {
    await new Promise(setImmediate)
    for (const message of fake.sent.splice(0)) {
      const kind = fate()
      const value = kind === 'lost' ? null : fake.put(message)
      fake.answer(message, kind === 'put' ? value : null)
    }
  }
  await over
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `step ${index}`)
const idsUpTo = (count: number) => Array.from({ length: count }, (_, at) => `ours ${at + 1}`)

test('default: a window is under way, each answer lets the next one go, and each names the one before it', () => {
  const fake = createStream()
  const { push, told } = openOutbox(fake)
  for (const name of names(70)) push(name)
  expect(fake.sent.map(idOf)).toEqual(idsUpTo(64))
  for (const count of [1, 2]) {
    const first = fake.sent[count - 1]!
    fake.answer(first, fake.put(first))
    expect(fake.sent.map(idOf)).toEqual(idsUpTo(64 + count))
  }
  expect(told).toEqual(['step 0', 'step 1'])
  expect(fake.sent.map(({ head }) => Number(head[expectedSeq]![0]))).toEqual([...fake.sent.keys()])
  expect(fake.sent.map(({ head }) => head[expectedId]?.[0])).toEqual([undefined, ...idsUpTo(65)])
})

test('behavior: large messages are held back by their bytes, and a step is stored with its last part', async () => {
  const fake = createStream()
  const { push, told, outbox } = openOutbox(fake)
  push('large', [3e6, 3e6, 3e6, 3e6])
  push('small')
  expect(fake.sent).toHaveLength(3)
  const flushed = outbox.flush()
  const first = fake.sent.splice(0)
  for (const message of first) fake.answer(message, fake.put(message))
  expect(told).toEqual([])
  await serve(fake, flushed, () => 'put')
  expect(told).toEqual(['large', 'small'])
  expect(outbox.pending()).toEqual({ steps: 0, bytes: 0, lastError: null })
})

test.each(Array.from({ length: 20 }, (_, index) => index + 1))(
  'behavior: whatever is lost on the way there or back, each is stored once and in order (seed %i)',
  async (seed) => {
    const random = createRandom(seed)
    const fake = createStream()
    const { push, told, outbox } = openOutbox(fake)
    const all = names(150)
    for (const name of all.slice(0, 75)) push(name, random() < 0.2 ? [10, 10, 10] : [10])
    const later = all.slice(75)
    await serve(fake, outbox.flush(), () => {
      // More come while the first are under way.
      for (const name of later.splice(0, 5)) push(name)
      const dice = random()
      return dice < 0.01 ? 'lost' : dice < 0.02 ? 'unanswered' : 'put'
    })
    expect(told).toEqual(all)
    expect(fake.stored.map(({ id }) => id)).toEqual(idsUpTo(fake.stored.length))
  },
)

test('error: where somebody else has put a message, nothing more of ours comes behind it', async () => {
  const fake = createStream()
  const { push, told, outbox } = openOutbox(fake)
  for (const name of names(10)) push(name)
  const flushed = outbox.flush()
  const taken = fake.sent.splice(0, 4)
  for (const message of taken) fake.answer(message, fake.put(message))
  fake.stored.push({ id: 'another', place: { lastSeq: 4, part: 0, parts: 0, timeS: 0 } })
  await expect(serve(fake, flushed, () => 'put')).rejects.toMatchObject({ code: 'LOG_MOVED' })
  expect(told).toEqual([...names(4), 'LOG_MOVED'])
  expect(fake.stored.map(({ id }) => id)).toEqual([...idsUpTo(4), 'another'])
  expect(outbox.fatal).toMatchObject({ code: 'LOG_MOVED' })
})

test('edge: by its number alone a message would fit behind one of somebody else in the place of a lost one', async () => {
  const fake = createStream()
  const { push, outbox } = openOutbox(fake)
  push('first')
  push('second')
  const flushed = outbox.flush()
  const [first, second] = fake.sent.splice(0) as [Sent, Sent]
  fake.stored.push({ id: 'another', place: { lastSeq: 0, part: 0, parts: 0, timeS: 0 } })
  expect(fake.put(second)).toMatchObject({ error: { err_code: 10_070 } })
  for (const message of [first, second]) fake.answer(message, null)
  await expect(flushed).rejects.toMatchObject({ code: 'LOG_MOVED' })
})

test('error: what is not answered is looked for after a while, and an answer that comes later changes nothing', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const fake = createStream()
  const { push, told, outbox } = openOutbox(fake)
  push('first')
  push('second')
  const [first, second] = fake.sent.splice(0) as [Sent, Sent]
  const answers = [first, second].map(fake.put)
  fake.answer(first, answers[0]!)
  const flushed = outbox.flush()
  await vi.advanceTimersByTimeAsync(answerMsMax - 1)
  expect(told).toEqual(['first'])
  await vi.advanceTimersByTimeAsync(1)
  await flushed
  expect(told).toEqual(['first', 'second'])
  fake.answer(second, answers[1]!)
  expect(told).toEqual(['first', 'second'])
  expect(fake.sent).toEqual([])
})

test('error: an answer that names another place is not taken for ours', async () => {
  const fake = createStream()
  const { push, told, outbox } = openOutbox(fake)
  push('first')
  const flushed = outbox.flush()
  const [first] = fake.sent.splice(0) as [Sent]
  fake.answer(first, { seq: 7 })
  await serve(fake, flushed, () => 'put')
  expect(told).toEqual(['first'])
  expect(fake.stored).toHaveLength(1)
})

test('edge: a connection that is closed ends what waits at once', async () => {
  const fake = createStream()
  const { push, told, outbox } = openOutbox(fake)
  push('first')
  fake.put(fake.sent[0]!)
  fake.close()
  await outbox.flush()
  expect(told).toEqual(['first'])
})
