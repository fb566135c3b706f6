import { setTimeout as delay } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'

// A thread that reads needs milliseconds to close; one that waits for a database that hangs would never end.
const graceMs = 2_000

/** Asks a thread to stop and resolves when it has ended. Only for threads that may end at any point. */
export async function endThread(worker: Worker, order: unknown): Promise<void> {
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  // Gone already.
  if (worker.threadId < 0) return
  worker.postMessage(order)
  const timer = new AbortController()
  const timeUp = delay(graceMs, true, { signal: timer.signal }).catch(() => false)
  const isLate = await Promise.race([ended.then(() => false), timeUp])
  timer.abort()
  if (isLate) await worker.terminate()
}
