import type { MessagePort, Worker } from 'node:worker_threads'
import { createLogger, type Logger, type LoggerOptions } from '../../lib/logger.ts'
import { stopThread } from '../../lib/shutdown.ts'
import {
  deserializeError,
  type SerializedError,
  serializeError,
  ThreadCallError,
} from '../errors.ts'

/** Messages from the main thread to a worker. */
type ThreadRequest =
  /** Without an id: no answer is expected. */
  | { type: 'call'; id?: number; name: string; input: unknown }
  /** The caller aborted. The call is still answered, which shows that the worker is alive. */
  | { type: 'abort'; id: number }
  | { type: 'stop' }

/** Messages from a worker to the main thread. */
type ThreadMessage =
  | { type: 'answered'; id: number; answer: unknown }
  | { type: 'failed'; id: number; error: SerializedError }
  | { type: 'report'; report: unknown }

/** Handlers by call name; each takes its own input type. */
type Handlers = Record<string, (input: never, signal: AbortSignal) => unknown>

type Report<report> = (report: report, transfer?: ArrayBuffer[]) => void

/**
 * Answers calls of the main thread with the handler of that name. On stop it aborts running calls,
 * runs `close`, and closes the port. Returns a function that sends reports to the main thread.
 */
export function serveCalls<report = never>(
  port: MessagePort,
  handlers: Handlers,
  close: () => Promise<void> | void = () => undefined,
): Report<report> {
  const post = (message: ThreadMessage, transfer: ArrayBuffer[] = []) =>
    port.postMessage(message, transfer)
  const calls = new Map<number, { abort: AbortController; ended: Promise<void> }>()

  async function answer(id: number, asked: () => unknown): Promise<void> {
    try {
      post({ type: 'answered', id, answer: await asked() })
    } catch (error) {
      post({ type: 'failed', id, error: serializeError(error) })
    }
    calls.delete(id)
  }

  async function stop(): Promise<void> {
    const open = [...calls.values()]
    for (const { abort } of open) abort.abort()
    await Promise.all(open.map(({ ended }) => ended))
    await close()
    port.close()
  }

  port.on('message', (order: ThreadRequest) => {
    if (order.type === 'stop') return void stop()
    if (order.type === 'abort') return calls.get(order.id)?.abort.abort()
    const { id, name, input } = order
    const abort = new AbortController()
    const asked = () => handlers[name]!(input as never, abort.signal)
    if (id === undefined) asked()
    else calls.set(id, { abort, ended: answer(id, asked) })
  })
  return (report, transfer) => post({ type: 'report', report }, transfer)
}

export type ThreadOptions<report> = {
  /** Name of the thread in log messages. */
  name: string
  start(): Worker
  /** @default reports are ignored */
  onReport?: ((report: report) => void) | undefined
  /** How long a thread may stay silent after an abort before it counts as hung. @default 10_000 */
  silentMsMax?: number | undefined
  logger: Logger
}

type InputOf<handler> = handler extends (input: infer input, ...rest: never[]) => unknown
  ? input
  : never
type AnswerOf<handler> = handler extends (...given: never[]) => infer answer
  ? Awaited<answer>
  : never

/** A thread that runs these handlers. */
export type Thread<handlers> = {
  /**
   * Calls a handler, starting the thread if needed. Rejects with a ThreadCallError if the signal
   * aborts or the thread ends or hangs, and otherwise with the handler's error. @default a signal
   * that never aborts
   */
  call<name extends keyof handlers & string>(
    name: name,
    input: InputOf<handlers[name]>,
    signal?: AbortSignal,
  ): Promise<AnswerOf<handlers[name]>>
  /** Calls a handler without waiting for an answer. Does nothing if the thread is not running. */
  send<name extends keyof handlers & string>(name: name, input: InputOf<handlers[name]>): void
  /** Ends the thread; the next call starts another. */
  end(): Promise<void>
  /** Ends the thread permanently. */
  close(): Promise<void>
}

type OpenCall = {
  answered(answer: unknown): void
  failed(error: Error): void
  /** Timer that runs after an abort, to detect a hung thread. */
  silence?: NodeJS.Timeout
}

// Longer than starting a thread takes on a busy machine.
const silentMsMaxDefault = 10_000

/**
 * Manages a thread that the first call starts. If the thread dies or hangs, its open calls are
 * rejected and not retried, because one of them may be the cause; the next call starts another
 * thread.
 */
export function createThread<handlers, report = never>(
  options: ThreadOptions<report>,
): Thread<handlers> {
  const { name: threadName, start, onReport, silentMsMax = silentMsMaxDefault, logger } = options
  /** Calls without an answer so far, including aborted calls. */
  const open = new Map<number, OpenCall>()
  let running: Worker | null = null
  let lastId = 0
  let isClosed = false

  const errorOf = (reason: string, cause?: unknown) =>
    new ThreadCallError({ name: threadName, reason, cause })
  const post = (worker: Worker, order: ThreadRequest) => worker.postMessage(order)

  function thread(): Worker {
    if (running !== null) return running
    const started = start()
    running = started
    started.on('message', (message: ThreadMessage) => {
      if (started !== running) return
      if (message.type === 'report') onReport?.(message.report as report)
      else if (message.type === 'answered') take(message.id)?.answered(message.answer)
      else take(message.id)?.failed(deserializeError(message.error))
    })
    started.on('error', (error) => onEnd(started, error))
    started.on('exit', () => onEnd(started, null))
    return started
  }

  function take(id: number): OpenCall | undefined {
    const call = open.get(id)
    open.delete(id)
    clearTimeout(call?.silence)
    return call
  }

  /** Rejects all open calls. */
  function rejectAll(reason: string, cause?: unknown): void {
    running = null
    for (const id of [...open.keys()]) take(id)!.failed(errorOf(reason, cause))
  }

  function onEnd(ended: Worker, cause: unknown): void {
    if (ended !== running) return
    logger.error({ msg: 'Thread ended', thread: threadName, calls: open.size, err: cause })
    rejectAll('the thread ended', cause)
  }

  function endHung(hung: Worker): void {
    if (hung !== running) return
    logger.error({ msg: 'Thread hangs; ending it', thread: threadName, calls: open.size })
    rejectAll('the thread hung')
    void hung.terminate()
  }

  function abort(id: number): void {
    const call = open.get(id)
    if (call === undefined || running === null) return
    const worker = running
    post(worker, { type: 'abort', id })
    call.silence = setTimeout(() => endHung(worker), silentMsMax)
    call.failed(errorOf('the caller aborted'))
  }

  async function end(): Promise<void> {
    const last = running
    rejectAll('the thread was stopped')
    if (last !== null) await stopThread(last, { type: 'stop' } satisfies ThreadRequest)
  }

  return {
    async call(name, input, signal) {
      if (isClosed) throw errorOf('the thread was stopped')
      if (signal?.aborted) throw errorOf('the caller aborted')
      lastId += 1
      const id = lastId
      const onAbort = () => abort(id)
      signal?.addEventListener('abort', onAbort)
      try {
        const answer = await new Promise<unknown>((answered, failed) => {
          post(thread(), { type: 'call', id, name, input })
          open.set(id, { answered, failed })
        })
        return answer as AnswerOf<handlers[typeof name]>
      } finally {
        signal?.removeEventListener('abort', onAbort)
      }
    },
    send(name, input) {
      if (running !== null) post(running, { type: 'call', name, input })
    },
    end,
    async close() {
      isClosed = true
      await end()
    },
  }
}

/** Creates the logger of a chain's worker: every line has the key `chain`, exactly once. */
export function createChainLogger({ level, look }: LoggerOptions, chain: string): Logger {
  // Not a binding of the child: pino writes a bound key a second time if the logged facts have it.
  const log = (facts: object) => ({ chain, ...facts })
  return createLogger(level, look).child({}, { formatters: { log } })
}
