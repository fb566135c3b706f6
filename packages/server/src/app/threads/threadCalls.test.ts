import { strict as assert } from 'node:assert'
import { once } from 'node:events'
import { MessageChannel, Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { createLogger } from '../../lib/logger.ts'
import { createThread, serveCalls } from './threadCalls.ts'

// A fake worker that echoes its input, except for command words that it executes.
const script = `
  import { parentPort } from 'node:worker_threads'
  const waiting = new Set()
  parentPort.on('message', (order) => {
    if (order.type === 'stop') return parentPort.close()
    if (order.type === 'abort') {
      if (waiting.delete(order.id))
        parentPort.postMessage({ type: 'failed', id: order.id, error: { code: 'RPC_ABORTED', shortMessage: 'Aborted.', meta: [], retryable: true } })
      return
    }
    const { id, input: question } = order
    if (question === 'die') throw new Error('a bug')
    if (question === 'leave') process.exit(3)
    if (question === 'hang') for (;;);
    if (question === 'wait') return waiting.add(id)
    if (question === 'fail')
      return parentPort.postMessage({ type: 'failed', id, error: { code: 'RPC_TIMEOUT', shortMessage: 'No answer.', meta: ['Node: one'], retryable: true } })
    if (id === undefined) return parentPort.postMessage({ type: 'report', report: question })
    parentPort.postMessage({ type: 'answered', id, answer: question })
  })
`
const url = new URL(`data:text/javascript,${encodeURIComponent(script)}`)
const logger = createLogger('silent')
const never = new AbortController().signal

type Echo = { ask(question: string): string }

/** By default a worker gets an hour to answer an abort, since it may start slowly. */
function open(silentMsMax = 3_600_000) {
  const threads: Worker[] = []
  const reports: string[] = []
  const thread = createThread<Echo, string>({
    name: 'test',
    onReport: (report) => reports.push(report),
    start() {
      const thread = new Worker(url)
      threads.push(thread)
      return thread
    },
    silentMsMax,
    logger,
  })
  onTestFinished(thread.close)
  const ask = (question: string, signal: AbortSignal) => thread.call('ask', question, signal)
  return { thread, calls: { ask, close: thread.close }, threads, reports }
}

/** The error of a call, with a handler attached from the start to avoid an unhandled rejection. */
const failureOf = (call: Promise<string>) =>
  call.then(
    (answer) => assert.fail(`answered: ${answer}`),
    (error: unknown) => error,
  )

const ended = { code: 'THREAD_CALL', reason: 'the thread ended', retryable: true }

test('default: the first call starts a thread that answers all calls', async () => {
  const { calls, threads } = open()
  expect(threads.length).toBe(0)
  const answers = ['a', 'b', 'c'].map((question) => calls.ask(question, never))
  expect(await Promise.all(answers)).toEqual(['a', 'b', 'c'])
  expect(threads.length).toBe(1)
})

test('error: passes on the facts of an error in the thread', async () => {
  const { calls } = open()
  await expect(calls.ask('fail', never)).rejects.toMatchObject({
    code: 'RPC_TIMEOUT',
    meta: ['Node: one'],
    retryable: true,
  })
})

test.each(['die', 'leave'])(
  'error: rejects the calls of a thread that ends (%s); the next call starts another',
  async (how) => {
    const { calls, threads } = open()
    const waiting = failureOf(calls.ask('wait', never))
    const fatal = failureOf(calls.ask(how, never))
    expect(await waiting).toMatchObject(ended)
    expect(await fatal).toMatchObject(ended)
    expect(await calls.ask('again', never)).toBe('again')
    expect(threads.length).toBe(2)
  },
)

test('behavior: rejects an aborted call at once and leaves others running', async () => {
  const { calls, threads } = open()
  const abort = new AbortController()
  const waiting = failureOf(calls.ask('wait', abort.signal))
  const other = failureOf(calls.ask('wait', never))
  abort.abort()
  expect(await waiting).toMatchObject({ code: 'THREAD_CALL' })
  expect(await calls.ask('next', never)).toBe('next')
  await expect(calls.ask('late', abort.signal)).rejects.toMatchObject({ code: 'THREAD_CALL' })
  await calls.close()
  expect(await other).toMatchObject({ reason: 'the thread was stopped' })
  expect(threads.length).toBe(1)
})

test('error: ends a hung thread; the next call starts another', async () => {
  const { calls, threads } = open(1)
  const abort = new AbortController()
  const waiting = failureOf(calls.ask('wait', never))
  const hanging = failureOf(calls.ask('hang', abort.signal))
  abort.abort()
  expect(await hanging).toMatchObject({ code: 'THREAD_CALL' })
  expect(await waiting).toMatchObject({ reason: 'the thread hung' })
  expect(await calls.ask('again', never)).toBe('again')
  expect(threads.length).toBe(2)
})

test('behavior: close ends a thread during a call, even a hung one', async () => {
  const { calls, threads } = open()
  const hanging = failureOf(calls.ask('hang', never))
  await once(threads[0]!, 'online')
  await calls.close()
  expect(await hanging).toMatchObject({ reason: 'the thread was stopped' })
  expect(threads[0]!.threadId).toBe(-1)
  await expect(calls.ask('a', never)).rejects.toMatchObject({ reason: 'the thread was stopped' })
  expect(threads.length).toBe(1)
})

test('behavior: send reaches a running thread and starts none', async () => {
  const { thread, calls, threads, reports } = open()
  thread.send('ask', 'too early')
  expect(threads.length).toBe(0)
  await calls.ask('a', never)
  thread.send('ask', 'b')
  expect(await calls.ask('c', never)).toBe('c')
  expect(reports).toEqual(['b'])
})

test('behavior: the next call replaces an ended thread', async () => {
  const { thread, calls, threads } = open()
  const waiting = failureOf(calls.ask('wait', never))
  await thread.end()
  expect(await waiting).toMatchObject({ reason: 'the thread was stopped' })
  expect(await calls.ask('again', never)).toBe('again')
  expect(threads.length).toBe(2)
})

/** Serves handlers on a port within this thread. */
function openServed(handlers: Parameters<typeof serveCalls>[1], close?: () => void) {
  const { port1, port2 } = new MessageChannel()
  onTestFinished(() => port1.close())
  const messages: unknown[] = []
  port1.on('message', (message) => messages.push(message))
  const closed = once(port1, 'close')
  const report = serveCalls<string>(port2, handlers, close)
  return { port: port1, messages, closed, report }
}

test('default: answers with the handler of that name, and sends reports', async () => {
  const { port, messages, closed, report } = openServed({
    double: async (count: number) => 2 * count,
    fail: () => assert.fail('a bug'),
    note: (word: string) => report(word),
  })
  report('ready')
  port.postMessage({ type: 'call', id: 1, name: 'double', input: 4 })
  port.postMessage({ type: 'call', name: 'note', input: 'noted' })
  port.postMessage({ type: 'call', id: 2, name: 'fail', input: null })
  port.postMessage({ type: 'stop' })
  await closed
  expect(messages).toEqual([
    { type: 'report', report: 'ready' },
    { type: 'answered', id: 1, answer: 8 },
    { type: 'report', report: 'noted' },
    { type: 'failed', id: 2, error: expect.objectContaining({ shortMessage: 'a bug' }) },
  ])
})

test('behavior: stop aborts all calls and ends the thread after them', async () => {
  const events: string[] = []
  const { port, messages, closed } = openServed(
    {
      wait: async (name: string, signal: AbortSignal) => {
        await once(signal, 'abort')
        events.push(name)
        return name
      },
    },
    () => void events.push('closed'),
  )
  for (const id of [1, 2]) port.postMessage({ type: 'call', id, name: 'wait', input: `call ${id}` })
  port.postMessage({ type: 'abort', id: 2 })
  port.postMessage({ type: 'stop' })
  await closed
  expect(events).toEqual(['call 2', 'call 1', 'closed'])
  expect(messages).toEqual([
    { type: 'answered', id: 2, answer: 'call 2' },
    { type: 'answered', id: 1, answer: 'call 1' },
  ])
})
