import type { Worker } from 'node:worker_threads'
import type { Logger } from '../../lib/logger.ts'
import { endThread } from '../../lib/shutdown.ts'
import { type ErrorFacts, errorOfFacts, ThreadCallError } from '../errors.ts'

/** What a thread that answers calls is told. */
export type ThreadCallOrder<question> =
  | { type: 'call'; id: number; question: question }
  /** Nobody waits for this one any more; it is answered all the same, which shows that the thread is alive. */
  | { type: 'abort'; id: number }
  | { type: 'stop' }

/** What it says of a call. */
export type ThreadCallAnswer<answer> =
  | { type: 'answered'; id: number; answer: answer }
  | { type: 'failed'; id: number; error: ErrorFacts }

export type ThreadCallsOptions = {
  /** In the log. */
  name: string
  start(): Worker
  /** Until a thread that was told to abort a call and says nothing is taken for hung. @default 10_000 */
  silentMsMax?: number | undefined
  logger: Logger
}

export type ThreadCalls<question, answer> = {
  /** Rejects with a ThreadCallError when the signal aborts, the thread ends or hangs; else with what the thread says. */
  ask(question: question, signal: AbortSignal): Promise<answer>
  close(): Promise<void>
}

type OpenCall<answer> = {
  answered(answer: answer): void
  failed(error: Error): void
  /** Runs from its abort on. */
  silence?: NodeJS.Timeout
}

// More than a busy machine takes to start one.
const silentMsMaxDefault = 10_000

/**
 * Has a thread answer calls. It is started by the first one; one that dies or hangs is replaced at the next call, and the calls
 * it had are rejected: whichever of them was the reason must not be the reason again by itself.
 */
export function createThreadCalls<question, answer>(
  options: ThreadCallsOptions,
): ThreadCalls<question, answer> {
  const { name, start, silentMsMax = silentMsMaxDefault, logger } = options
  const open = createOpenCalls<answer>(name)
  let running: Worker | null = null
  let lastId = 0
  let isClosed = false

  function thread(): Worker {
    if (running !== null) return running
    const started = start()
    running = started
    started.on('message', (message: ThreadCallAnswer<answer>) => {
      if (started !== running) return
      if (message.type === 'answered') open.take(message.id)?.answered(message.answer)
      else if (message.type === 'failed') open.take(message.id)?.failed(errorOfFacts(message.error))
    })
    started.on('error', (error) => onEnd(started, error))
    started.on('exit', () => onEnd(started, null))
    return started
  }

  function onEnd(ended: Worker, cause: unknown): void {
    if (ended !== running) return
    running = null
    logger.error({ msg: 'A thread ended', thread: name, calls: open.size(), err: cause })
    open.rejectAll('the thread ended', cause)
  }

  function endHung(hung: Worker): void {
    if (hung !== running) return
    running = null
    logger.error({ msg: 'A thread hangs and is ended', thread: name, calls: open.size() })
    open.rejectAll('the thread hung', undefined)
    void hung.terminate()
  }

  function abort(id: number): void {
    const call = open.get(id)
    if (call === undefined || running === null) return
    const worker = running
    worker.postMessage({ type: 'abort', id } satisfies ThreadCallOrder<question>)
    call.silence = setTimeout(() => endHung(worker), silentMsMax)
    call.failed(new ThreadCallError({ name, reason: 'nobody waits for it any more' }))
  }

  return {
    async ask(question, signal) {
      if (isClosed) throw new ThreadCallError({ name, reason: 'the thread was stopped' })
      if (signal.aborted)
        throw new ThreadCallError({ name, reason: 'nobody waits for it any more' })
      lastId += 1
      const id = lastId
      const onAbort = () => abort(id)
      signal.addEventListener('abort', onAbort)
      try {
        return await new Promise<answer>((answered, failed) => {
          const order: ThreadCallOrder<question> = { type: 'call', id, question }
          thread().postMessage(order)
          open.add(id, { answered, failed })
        })
      } finally {
        signal.removeEventListener('abort', onAbort)
      }
    },
    async close() {
      isClosed = true
      const last = running
      running = null
      open.rejectAll('the thread was stopped', undefined)
      if (last !== null) await endThread(last, { type: 'stop' } satisfies ThreadCallOrder<question>)
    },
  }
}

/** Calls of which nothing is known yet, and those aborted that the thread has not spoken of. */
function createOpenCalls<answer>(name: string) {
  const calls = new Map<number, OpenCall<answer>>()

  function take(id: number): OpenCall<answer> | undefined {
    const call = calls.get(id)
    calls.delete(id)
    clearTimeout(call?.silence)
    return call
  }

  return {
    take,
    add: (id: number, call: OpenCall<answer>) => void calls.set(id, call),
    get: (id: number) => calls.get(id),
    size: () => calls.size,
    rejectAll(reason: string, cause: unknown): void {
      const error = new ThreadCallError({ name, reason, cause })
      for (const id of [...calls.keys()]) take(id)!.failed(error)
    },
  }
}
