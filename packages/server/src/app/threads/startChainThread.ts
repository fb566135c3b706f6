import { Worker } from 'node:worker_threads'
import type { Ancestor } from '../../chain/errors.ts'
import type { AppError } from '../../lib/errors.ts'
import { endThread } from '../../lib/shutdown.ts'
import type { NodeFault } from '../../model/block.ts'
import { errorOfFacts, factsOf, ThreadMemoryError } from '../errors.ts'
import type { PipelineProgress } from '../pipeline/chainPipeline.ts'
import type { HandedEntry } from '../pipeline/handedEntry.ts'
import type {
  ChainThreadData,
  ChainThreadKind,
  ChainThreadMessage,
  ChainThreadOrder,
} from './chainMessage.ts'

export type ChainThreadOptions = {
  data: ChainThreadData
  /** @default one that is started now */
  prepared?: PreparedThread | undefined
  onEntries(entries: readonly HandedEntry[]): void
  onProgress(progress: PipelineProgress): void
  onRewind(ancestor: Ancestor): void
  onFailed(error: AppError): void
}

/** A thread that has loaded its code and waits for the chain that it is to read. It keeps no process alive. */
export type PreparedThread = { worker: Worker }

export type ChainThread = {
  order(order: ChainThreadOrder): void
  /** Why it cannot begin to read the chain; null: it does, or nobody knows yet. */
  startFault(): NodeFault | null
  stop(): Promise<void>
}

// Ranges of blocks under way are tens of megabytes that live for a moment: in a smaller space each collection copies
// them, which took a quarter of the thread's time; half of this takes about a third more time than this. It grows to it
// only when that much is alive.
const maxYoungGenerationSizeMb = 192
/**
 * Heap of a thread that reads blocks. It exceeds what the largest answer of a node takes once parsed: when JSON.parse reaches
 * the limit, Node ends the whole process, not only the thread.
 */
const maxOldGenerationSizeMb = 2_048

/** To load the code of a chain's thread takes longer than all else that whoever takes a chain over has to do. */
export function prepareChainThread(kind: string): PreparedThread {
  const worker = new Worker(new URL('./chainThread.js', import.meta.url), {
    workerData: { kind } satisfies ChainThreadKind,
    resourceLimits: { maxYoungGenerationSizeMb, maxOldGenerationSizeMb },
  })
  worker.unref()
  // Whoever needs it starts another.
  worker.on('error', () => undefined)
  return { worker }
}

/** Runs a chain's pipeline in a thread of its own. */
export function startChainThread(options: ChainThreadOptions): ChainThread {
  const { data } = options
  const { worker } = livingThread(options)
  worker.ref()
  let isStopping = false
  let startFault: NodeFault | null = null
  worker.on('message', (message: ChainThreadMessage) => {
    if (isStopping) return
    if (message.type === 'entries') options.onEntries(message.entries)
    else if (message.type === 'progress') options.onProgress(message.progress)
    else if (message.type === 'waiting') startFault = message.fault
    else if (message.type === 'rewind') options.onRewind(message.ancestor)
    else options.onFailed(errorOfFacts(message.error))
  })
  worker.on('error', (error) => options.onFailed(threadErrorOf(data, error)))
  worker.postMessage({ type: 'open', data } satisfies ChainThreadOrder)
  return {
    order: (order) => worker.postMessage(order),
    startFault: () => startFault,
    async stop() {
      isStopping = true
      await endThread(worker, { type: 'stop' } satisfies ChainThreadOrder)
    },
  }
}

function livingThread({ prepared, data }: ChainThreadOptions): PreparedThread {
  const isAlive = prepared !== undefined && prepared.worker.threadId > 0
  return isAlive ? prepared : prepareChainThread(data.start.setup.kind)
}

function threadErrorOf({ start }: ChainThreadData, error: unknown): AppError {
  const name = `chain ${start.setup.profile.name}`
  const isOutOfMemory = (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY'
  return isOutOfMemory
    ? new ThreadMemoryError({ name, megabytesMax: maxOldGenerationSizeMb })
    : errorOfFacts(factsOf(error))
}
