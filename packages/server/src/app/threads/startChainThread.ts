import { Worker } from 'node:worker_threads'
import type { Ancestor } from '../../chain/errors.ts'
import type { AppError } from '../../lib/errors.ts'
import { endThread } from '../../lib/shutdown.ts'
import { errorOfFacts, factsOf } from '../errors.ts'
import type { PipelineProgress } from '../pipeline/chainPipeline.ts'
import type { HandedEntry } from '../pipeline/handedEntry.ts'
import type { ChainThreadData, ChainThreadMessage, ChainThreadOrder } from './chainMessage.ts'

export type ChainThreadOptions = {
  data: ChainThreadData
  onEntries(entries: readonly HandedEntry[]): void
  onProgress(progress: PipelineProgress): void
  onRewind(ancestor: Ancestor): void
  onFailed(error: AppError): void
}

export type ChainThread = {
  order(order: ChainThreadOrder): void
  /** Why it cannot begin to read the chain; null: it does, or nobody knows yet. */
  startFault(): string | null
  stop(): Promise<void>
}

// Ranges of blocks under way are tens of megabytes that live for a moment: in a smaller space each collection copies
// them, which took a quarter of the thread's time; half of this takes about a third more time than this. It grows to it
// only when that much is alive.
const maxYoungGenerationSizeMb = 192

/** Runs a chain's pipeline in a thread of its own. */
export function startChainThread(options: ChainThreadOptions): ChainThread {
  const worker = new Worker(new URL('./chainThread.js', import.meta.url), {
    workerData: options.data,
    resourceLimits: { maxYoungGenerationSizeMb },
  })
  let isStopping = false
  let startFault: string | null = null
  worker.on('message', (message: ChainThreadMessage) => {
    if (isStopping) return
    if (message.type === 'entries') options.onEntries(message.entries)
    else if (message.type === 'progress') options.onProgress(message.progress)
    else if (message.type === 'waiting') startFault = message.reason
    else if (message.type === 'rewind') options.onRewind(message.ancestor)
    else options.onFailed(errorOfFacts(message.error))
  })
  worker.on('error', (error) => options.onFailed(errorOfFacts(factsOf(error))))
  return {
    order: (order) => worker.postMessage(order),
    startFault: () => startFault,
    async stop() {
      isStopping = true
      await endThread(worker, { type: 'stop' } satisfies ChainThreadOrder)
    },
  }
}
