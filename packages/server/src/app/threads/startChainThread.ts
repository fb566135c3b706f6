import { Worker } from 'node:worker_threads'
import type { Ancestor } from '../../chain/errors.ts'
import type { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import type { NodeFault } from '../../model/block.ts'
import { deserializeError, serializeError, ThreadCallError, ThreadMemoryError } from '../errors.ts'
import type { PipelineProgress } from '../pipeline/chainPipeline.ts'
import type { EncodedEntry } from '../pipeline/entrySender.ts'
import type {
  ChainThreadData,
  ChainThreadHandlers,
  ChainThreadInit,
  ChainThreadReport,
} from './chainThread.ts'
import { createThread, type Thread } from './threadCalls.ts'

export type ChainThreadOptions = {
  data: ChainThreadData
  /** Worker that a standby prepared. @default a new worker */
  prepared?: Worker | undefined
  onEntries(entries: readonly EncodedEntry[]): void
  onProgress(progress: PipelineProgress): void
  onRewind(ancestor: Ancestor): void
  onFailed(error: AppError): void
  logger: Logger
}

export type ChainThread = Pick<Thread<ChainThreadHandlers>, 'send'> & {
  /** Why indexing cannot start; null: it started, or no fault is known yet. */
  startFault(): NodeFault | null
  stop(): Promise<void>
}

// Ranges of blocks are tens of megabytes of short-lived garbage. A smaller young generation copies
// them at each collection, which took a quarter of the thread's time; half this size costs about a
// third more time. The space grows only if it is needed; blocks of a demo are small.
const youngGenerationMb = { chain: 192, demo: 24 }
/**
 * Heap limit of a worker that indexes. Must exceed the largest parsed answer of a node: when
 * JSON.parse hits the limit, Node.js ends the whole process and not only the worker.
 */
const maxOldGenerationSizeMb = 2_048

/**
 * Starts a worker that loads its code, the slowest part of a takeover, and then waits for its
 * chain. The worker does not keep the process alive.
 */
export function prepareChainThread(kind: string, isDemo = false): Worker {
  const maxYoungGenerationSizeMb = isDemo ? youngGenerationMb.demo : youngGenerationMb.chain
  const worker = new Worker(new URL('./chainThread.js', import.meta.url), {
    workerData: { kind } satisfies ChainThreadInit,
    resourceLimits: { maxYoungGenerationSizeMb, maxOldGenerationSizeMb },
  })
  worker.unref()
  // Ignore errors of an unused worker: a takeover starts another.
  worker.on('error', () => undefined)
  return worker
}

/** Runs a chain's pipeline in its own worker. */
export function startChainThread(options: ChainThreadOptions): ChainThread {
  const { data, prepared, logger } = options
  const { kind, profile } = data.start.setup
  const name = `chain ${profile.name}`
  let isStopping = false
  let startFault: NodeFault | null = null
  const thread = createThread<ChainThreadHandlers, ChainThreadReport>({
    name,
    start() {
      const isAlive = prepared !== undefined && prepared.threadId > 0
      const worker = isAlive ? prepared : prepareChainThread(kind, profile.isDemo)
      worker.ref()
      return worker
    },
    onReport(report) {
      if (report.type === 'entries') options.onEntries(report.entries)
      else if (report.type === 'progress') options.onProgress(report.progress)
      else startFault = report.fault
    },
    logger,
  })

  async function run(): Promise<void> {
    try {
      const ancestor = await thread.call('run', data)
      if (ancestor !== null) options.onRewind(ancestor)
    } catch (error) {
      if (!isStopping) options.onFailed(faultOf(name, error))
    } finally {
      void thread.end()
    }
  }

  void run()
  return {
    send: thread.send,
    startFault: () => startFault,
    async stop() {
      isStopping = true
      await thread.close()
    },
  }
}

function faultOf(name: string, error: unknown): AppError {
  const cause = error instanceof ThreadCallError ? (error.cause ?? error) : error
  const isOutOfMemory = (cause as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY'
  return isOutOfMemory
    ? new ThreadMemoryError({ name, megabytesMax: maxOldGenerationSizeMb })
    : deserializeError(serializeError(cause))
}
