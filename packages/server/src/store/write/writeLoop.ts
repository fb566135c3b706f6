import { setTimeout as delay } from 'node:timers/promises'
import type { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Cursor } from '../blockWrite.ts'
import { CursorMismatchError } from '../errors.ts'
import type { BatchSink } from './batchSink.ts'
import type { WriteQueue } from './writeQueue.ts'

export type WriteLoopOptions = {
  queue: WriteQueue
  sink: BatchSink
  chain: string
  logger: Logger
  retryDelayMsMax: number
  /** Writes were stored and left the queue. */
  onStored: (cursor: Cursor) => void
  /** The queue is empty. */
  onIdle: () => void
  /** The loop has ended and will store nothing more. */
  onFatal: (error: AppError) => void
}

/** Takes writes off the queue as they are stored, and tries for as long as it takes. */
export type WriteLoop = {
  wake(): void
  /** Ends the loop after the batch under way. */
  stop(): void
  ended: Promise<void>
  /** Why the newest try failed; null while writes succeed. */
  lastError(): AppError | null
  writingSinceMs(): number | null
}

const retryDelayMsMin = 50

export function startWriteLoop(options: WriteLoopOptions): WriteLoop {
  const { queue, sink, chain, logger } = options
  const stopping = new AbortController()
  let lastError: AppError | null = null
  let writingSinceMs: number | null = null
  /** Writes at the queue's front that were sent at least once: only these may turn out to be stored already. */
  let sentCount = 0
  let wake: () => void = () => undefined

  async function run(): Promise<void> {
    let failures = 0
    while (!stopping.signal.aborted) {
      if (queue.length() === 0) {
        options.onIdle()
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        continue
      }
      try {
        await writeOldest()
        failures = 0
      } catch (error) {
        const fault = sink.faultOf(error)
        sink.disconnect()
        lastError = fault
        if (!fault.retryable) return options.onFatal(fault)
        await pause(fault, failures++)
      }
    }
  }

  async function writeOldest(): Promise<void> {
    writingSinceMs ??= Date.now()
    const cursor = await sink.connect()
    if (cursor !== null) settleSent(cursor)
    const batch = queue.peekBatch()
    if (batch.length > 0) {
      sentCount = batch.length
      await sink.store(batch)
      onStored(batch.length, batch.at(-1)!.cursorAfter)
      await sink.maintain(batch.at(-1)!.nowS)
    }
    lastError = null
    writingSinceMs = null
  }

  /** After a lost connection the cursor alone knows whether the last transaction was committed. */
  function settleSent({ seq, hash }: Cursor): void {
    const last = queue.peekBatch()[sentCount - 1]?.cursorAfter
    if (last?.seq === seq && last.hash === hash) onStored(sentCount, last)
    sentCount = 0
    const expected = queue.oldest()?.cursorBefore.seq ?? seq
    if (expected !== seq) throw new CursorMismatchError({ chain, expected, found: seq })
  }

  function onStored(count: number, cursor: Cursor): void {
    queue.drop(count)
    sentCount = 0
    options.onStored(cursor)
  }

  async function pause(fault: AppError, failures: number): Promise<void> {
    const delayMs = Math.min(retryDelayMsMin * 2 ** Math.min(failures, 16), options.retryDelayMsMax)
    logger.warn({ msg: 'Failed to store blocks', chain, err: fault, delayMs })
    await delay(delayMs, undefined, { signal: stopping.signal }).catch(() => undefined)
  }

  return {
    ended: run(),
    wake: () => wake(),
    stop() {
      stopping.abort()
      wake()
    },
    lastError: () => lastError,
    writingSinceMs: () => writingSinceMs,
  }
}
