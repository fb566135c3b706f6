import { Worker } from 'node:worker_threads'
import type { Ancestor } from '../../chain/errors.ts'
import type { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import type { NodeFault } from '../../model/block.ts'
import { errorOfFacts, factsOf, ThreadCallError, ThreadMemoryError } from '../errors.ts'
import type { PipelineProgress } from '../pipeline/chainPipeline.ts'
import type { HandedEntry } from '../pipeline/handOver.ts'
import type {
  ChainThreadData,
  ChainThreadHandlers,
  ChainThreadKind,
  ChainThreadReport,
} from './chainThread.ts'
import { createThread, type Thread } from './threadCalls.ts'

export type ChainThreadOptions = {
  data: ChainThreadData
  /** @default one that is started now */
  prepared?: Worker | undefined
  onEntries(entries: readonly HandedEntry[]): void
  onProgress(progress: PipelineProgress): void
  onRewind(ancestor: Ancestor): void
  onFailed(error: AppError): void
  logger: Logger
}

export type ChainThread = Pick<Thread<ChainThreadHandlers>, 'send'> & {
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

/**
 * A thread that has loaded its code, which takes longer than the rest of taking over a chain, and waits for the chain to read. It
 * keeps no process alive.
 */
export function prepareChainThread(kind: string): Worker {
  const worker = new Worker(new URL('./chainThread.js', import.meta.url), {
    workerData: { kind } satisfies ChainThreadKind,
    resourceLimits: { maxYoungGenerationSizeMb, maxOldGenerationSizeMb },
  })
  worker.unref()
  // The next leader starts another.
  worker.on('error', () => undefined)
  return worker
}

/** Runs a chain's pipeline in a thread of its own. */
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
      const worker = isAlive ? prepared : prepareChainThread(kind)
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
      const ancestor = await thread.ask('run', data)
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
    : errorOfFacts(factsOf(cause))
}
