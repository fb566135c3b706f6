import type { AppError } from '../lib/errors.ts'
import type { Logger } from '../lib/logger.ts'
import { withinMs } from '../lib/withinMs.ts'
import { LogWriterReplacedError } from '../log/errors.ts'
import type { LogWriter } from '../log/log.ts'
import type { BlockWrite, Cursor } from './blockWrite.ts'
import type { StoreConnection } from './connection.ts'
import { QueueFullError } from './errors.ts'
import { defaultRetention, type Retention, type StoredHistory } from './retention.ts'
import { createBatchSink } from './write/batchSink.ts'
import type { IgnoredContractGaps } from './write/rows/ignoredContractRows.ts'
import type { UnverifiedBlockStats } from './write/rows/unverifiedRows.ts'
import { createWriteQueue, type QueueLimits, startWriteLoop } from './write/writeLoop.ts'

export type BlockWriterLimits = QueueLimits & {
  /** Longest pause between two attempts to reach the database. */
  retryDelayMsMax: number
  /**
   * Time that past blocks wait for others to share a transaction; a block at the head never waits.
   */
  gatherMsMax: number
  /** Interval between checks for expired partitions, in seconds of the writes' `nowS`. */
  retentionEveryS: number
  /**
   * Largest difference between local time and the newest stored block at which anything is dropped.
   */
  retentionGapSMax: number
  /** Longest time that a drop may block readers before it is postponed. */
  dropLockWaitMs: number
  /** Time that close() waits for the queue to be stored. */
  closeTimeoutMs: number
}

export const defaultWriterLimits: BlockWriterLimits = {
  queueBlocksMax: 2_000,
  queueBytesMax: 256_000_000,
  batchBlocksMax: 500,
  // COPY gains little beyond 2,000 rows a transaction, and encoding these takes about 15 ms.
  batchRowsMax: 5_000,
  retryDelayMsMax: 5_000,
  // At a backfill of 1,000 blocks a second, hundreds share a transaction; no client waits for past
  // blocks.
  gatherMsMax: 250,
  retentionEveryS: 600,
  retentionGapSMax: 86_400,
  dropLockWaitMs: 1_000,
  closeTimeoutMs: 10_000,
}

export type BlockWriterOptions = {
  connection: StoreConnection
  chainId: number
  chain: string
  logger: Logger
  limits?: Partial<BlockWriterLimits>
  retention?: Partial<Retention>
  /** Everything up to this cursor is stored. */
  onPersisted?: (cursor: Cursor) => void
  /**
   * The writer stores nothing more: the disk is full, data is damaged, or a second writer took
   * over.
   */
  onFatal?: (error: AppError) => void
}

export type WriterStatus = {
  queuedBlocks: number
  queuedBytes: number
  isFull: boolean
  /** Error of the newest attempt; null while writes succeed. */
  lastError: AppError | null
  lastPersisted: Cursor
  history: StoredHistory
  /** Why expired days are kept; null if they are dropped. */
  retentionHeld: string | null
  /** As stored. */
  doubtful: UnverifiedBlockStats
  leftOut: IgnoredContractGaps
  /** Start of the oldest unfinished write, unix ms; null when idle. */
  writingSinceMs: number | null
}

/** Writes the log of one chain together with the rows of each entry. */
export type BlockWriter = LogWriter<BlockWrite> & {
  isFull(): boolean
  /** True once nothing more will be stored: see `onFatal`. */
  hasFailed(): boolean
  status(): WriterStatus
  /** Requests a better threshold for large holders, after a reader had to scan all of them. */
  requestHolderBar(tokenId: number): void
  /**
   * Stores the queue, as far as the time allows. Returns the number of writes that were not stored.
   */
  close(): Promise<number>
}

export async function openBlockWriter(options: BlockWriterOptions): Promise<BlockWriter> {
  const { chain, logger } = options
  const limits = { ...defaultWriterLimits, ...options.limits }
  const retention = { ...defaultRetention, ...options.retention }
  const queue = createWriteQueue(limits)
  const sink = createBatchSink({ ...options, ...limits, retention })
  const waiters = createWaiters()
  let fatal: AppError | null = null
  let lastPersisted = await openSink()
  let lastSeq = lastPersisted.seq

  // Connects before the first write, so that the caller learns at once of a second writer or a
  // missing server.
  async function openSink(): Promise<Cursor> {
    try {
      return (await sink.connect())!
    } catch (error) {
      throw sink.faultOf(error)
    }
  }

  const loop = startWriteLoop({
    queue,
    sink,
    storedSeq: lastSeq,
    chain,
    logger,
    retryDelayMsMax: limits.retryDelayMsMax,
    gatherMsMax: limits.gatherMsMax,
    onIdle: waiters.resolve,
    onStored(cursor) {
      lastPersisted = cursor
      options.onPersisted?.(cursor)
    },
    onFatal(error) {
      fatal = error
      logger.error({ msg: 'Stopped storing blocks', chain, err: error })
      waiters.reject(error)
      options.onFatal?.(error)
    },
  })

  function flush(): Promise<void> {
    if (fatal !== null) return Promise.reject(fatal)
    if (queue.length() === 0) return Promise.resolve()
    loop.hurry()
    return waiters.wait()
  }

  return {
    append(write) {
      if (fatal !== null) throw fatal
      if (queue.length() >= limits.queueBlocksMax)
        throw new QueueFullError({ chain, blocksMax: limits.queueBlocksMax })
      const { expectedSeq } = write
      if (expectedSeq !== lastSeq) throw new LogWriterReplacedError({ chain, expectedSeq, lastSeq })
      lastSeq = queue.push(write)
      loop.wake()
      return lastSeq
    },
    isFull: () => queue.isFull(),
    hasFailed: () => fatal !== null,
    status: () => ({
      queuedBlocks: queue.length(),
      queuedBytes: queue.sizeBytes(),
      isFull: queue.isFull(),
      lastError: fatal ?? loop.lastError(),
      lastPersisted,
      history: sink.history(),
      retentionHeld: sink.retentionHeld(),
      doubtful: sink.doubtful(),
      leftOut: sink.leftOut(),
      writingSinceMs: loop.writingSinceMs(),
    }),
    flush,
    trim: sink.trim,
    requestHolderBar: sink.requestHolderBar,
    async close() {
      await withinMs(flush(), limits.closeTimeoutMs, undefined).catch(() => undefined)
      loop.stop()
      // A batch that hangs in a stopped database is abandoned with its connection.
      const endMs = queue.length() === 0 ? limits.closeTimeoutMs : 0
      await withinMs(loop.ended, endMs, undefined).catch(() => undefined)
      sink.disconnect()
      return queue.length()
    },
  }
}

/** Callers that wait for an empty queue. */
function createWaiters() {
  let waiting: { resolve: () => void; reject: (error: AppError) => void }[] = []
  const takeAll = () => waiting.splice(0)
  return {
    wait: () =>
      new Promise<void>((resolve, reject) => {
        waiting = [...waiting, { resolve, reject }]
      }),
    resolve() {
      for (const waiter of takeAll()) waiter.resolve()
    },
    reject(error: AppError) {
      for (const waiter of takeAll()) waiter.reject(error)
    },
  }
}
