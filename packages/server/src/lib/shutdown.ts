import { writeSync } from 'node:fs'
import type { Worker } from 'node:worker_threads'
import type { Logger } from './logger.ts'
import { withinMs } from './withinMs.ts'

type ShutdownOptions = {
  logger: Logger
  /** Time limit of all callbacks together. @default 10_000 */
  graceMs?: number
  /** Logs start and end of the stop: once for a whole program. @default false */
  isAnnounced?: boolean
}

type StopOutcome = 'clean' | 'failed' | 'timedOut'

/** Stops what was started, newest first, within a time limit. */
export type Shutdown = {
  /** Aborted when stopping begins. */
  signal: AbortSignal
  /** Adds a callback that runs before all earlier ones. Returns the function that removes it. */
  add(name: string, callback: () => Promise<void> | void): () => void
  /** All calls share one stop and its result. */
  stop(reason: string): Promise<StopOutcome>
}

export function createShutdown({
  logger,
  graceMs = 10_000,
  isAnnounced = false,
}: ShutdownOptions): Shutdown {
  const controller = new AbortController()
  /** Oldest first. */
  const entries: { name: string; callback: () => Promise<void> | void }[] = []
  let outcome: Promise<StopOutcome> | null = null

  async function runAll(): Promise<StopOutcome> {
    let result: StopOutcome = 'clean'
    for (let entry = entries.pop(); entry !== undefined; entry = entries.pop()) {
      try {
        await entry.callback()
      } catch (error) {
        // A part that fails to stop must not keep the others from stopping.
        logger.error({ msg: 'Failed to stop a part', part: entry.name, err: error })
        result = 'failed'
      }
    }
    return result
  }

  async function stopWithin(reason: string): Promise<StopOutcome> {
    if (isAnnounced) logger.info({ msg: 'Stopping', reason })
    controller.abort(reason)
    const result = await withinMs(runAll(), graceMs, 'timedOut' as const)
    if (result === 'timedOut') logger.error({ msg: 'Gave up waiting for a clean stop', graceMs })
    else if (isAnnounced) logger.info({ msg: 'Stopped' })
    return result
  }

  return {
    signal: controller.signal,
    add(name, callback) {
      const entry = { name, callback }
      entries.push(entry)
      return () => {
        const at = entries.indexOf(entry)
        if (at >= 0) entries.splice(at, 1)
      }
    },
    stop(reason) {
      outcome ??= stopWithin(reason)
      return outcome
    },
  }
}

/** The part of `process` that signals need. */
export type SignalSource = {
  on(event: NodeJS.Signals, listener: () => void): unknown
  off(event: NodeJS.Signals, listener: () => void): unknown
}

// The shell's convention: 128 plus the number of the signal.
const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const

// A terminal's Ctrl-C reaches the whole process group including npm, which passes it on: it may
// arrive twice.
const sameSignalMs = 500

type StopSignalOptions = {
  onStop: (signal: string) => void
  exit: (code: number) => void
  nowMs: () => number
}

/**
 * The first signal asks for a stop, a later SIGINT or SIGTERM exits at once. SIGHUP, which a
 * closing terminal sends, only ever asks: a process that exits at once leaves the database that it
 * started running. Returns the way to stop listening.
 */
export function onStopSignals(
  source: SignalSource,
  { onStop, exit, nowMs }: StopSignalOptions,
): () => void {
  let firstMs: number | null = null
  const listeners = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((name) => {
    const listener = () => {
      const isFirst = firstMs === null
      firstMs ??= nowMs()
      if (isFirst) onStop(name)
      else if (name !== 'SIGHUP' && nowMs() - firstMs > sameSignalMs) exit(exitCodes[name])
    }
    source.on(name, listener)
    return { name, listener }
  })
  return () => {
    for (const { name, listener } of listeners) source.off(name, listener)
  }
}

// A reading thread closes within milliseconds; one that waits for a hanging database would never
// end.
const threadGraceMs = 2_000
// JavaScript ends at once; native code, such as JSON.parse, runs to its end.
const threadEndMs = 1_000
// A busy machine needs time to end a thread.
const exitMs = 3_000

/**
 * Asks a thread to stop and resolves when it has ended, or does not within 3 s: the others must
 * stop too, and `exitProcess` ends it with the process. Only for threads that may end at any point.
 */
export async function stopThread(worker: Worker, order: unknown): Promise<void> {
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  // The worker has already ended.
  if (worker.threadId < 0) return
  worker.postMessage(order)
  if ((await withinMs(ended, threadGraceMs, 'late')) !== 'late') return
  await withinMs(worker.terminate(), threadEndMs, undefined)
}

const standardError = 2
const threads = new Set<Worker>()

process.on('worker', (thread: Worker) => {
  threads.add(thread)
  thread.once('exit', () => threads.delete(thread))
})

/**
 * Ends the process within 3 s. `process.exit` waits for every thread, even one that never ends:
 * with such a thread the process is killed, and the exit code is lost.
 */
export async function exitProcess(code: number): Promise<void> {
  const ended = Promise.all([...threads].map((thread) => thread.terminate()))
  if ((await withinMs(ended, exitMs, 'late')) !== 'late') process.exit(code)
  writeSync(standardError, 'A thread does not end: killing the process.\n')
  process.kill(process.pid, 'SIGKILL')
  // The first process of a container cannot be killed from inside.
  process.abort()
}
