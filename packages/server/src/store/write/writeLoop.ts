import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import type { BlockWrite, Cursor, SequencedWrite } from '../blockWrite.ts'
import { CursorMismatchError } from '../errors.ts'
import type { BatchSink } from './batchSink.ts'

type WriteLoopOptions = {
  queue: WriteQueue
  sink: BatchSink
  /** Stored sequence when the loop starts. */
  storedSeq: number
  chain: string
  logger: Logger
  retryDelayMsMax: number
  /** Time that past blocks wait for others to share a transaction. */
  gatherMsMax: number
  /** Writes were stored and left the queue. */
  onStored: (cursor: Cursor) => void
  /** The queue is empty. */
  onIdle: () => void
  /** The loop has ended and stores nothing more. */
  onFatal: (error: AppError) => void
}

/** Takes writes off the queue as they are stored, and retries for as long as needed. */
type WriteLoop = {
  wake(): void
  /** A caller waits for the queue: batches no longer wait for more writes. */
  hurry(): void
  /** Ends the loop after the current batch. */
  stop(): void
  ended: Promise<void>
  /** Error of the newest attempt; null while writes succeed. */
  lastError(): AppError | null
  writingSinceMs(): number | null
}

const retryDelayMsMin = 50
// The process that took over has ended the session: it reconnects first.
const idleReconnectMs = 1_000

export function startWriteLoop(options: WriteLoopOptions): WriteLoop {
  const { queue, sink, chain } = options
  const stopping = new AbortController()
  let lastError: AppError | null = null
  let writingSinceMs: number | null = null
  /** Writes at the queue's front that were sent at least once: only these may already be stored. */
  let sentCount = 0
  let { storedSeq } = options
  const waker = createWaker()
  sink.onLost(waker.wake)
  /** Empties the queue without waiting for more writes. */
  let isHurried = false

  async function run(): Promise<void> {
    let failures = 0
    while (!stopping.signal.aborted) {
      if (queue.length() === 0) {
        isHurried = false
        options.onIdle()
        if (!sink.isLost()) {
          await waker.wait(() => true)
          continue
        }
        // The next server may lack entries of this one, which is checked now rather than with the
        // next block.
        await waker.wait(() => true, idleReconnectMs)
        if (!sink.isLost()) continue
      }
      try {
        await gather()
        if (!stopping.signal.aborted) await writeOldest()
        failures = 0
      } catch (error) {
        const fault = sink.faultOf(error)
        sink.disconnect()
        lastError = fault
        if (!fault.retryable) return options.onFatal(fault)
        await pause(options, fault, failures++, stopping.signal)
      }
    }
  }

  /**
   * A transaction costs the same for one block as for hundreds, and blocks overwrite the same rows.
   */
  async function gather(): Promise<void> {
    const isDone = () =>
      queue.length() === 0 || isHurried || stopping.signal.aborted || !queue.isWorthGathering()
    if (!isDone()) await waker.wait(isDone, options.gatherMsMax)
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
      await sink.maintain(batch.at(-1)!)
    }
    lastError = null
    writingSinceMs = null
  }

  /** After a lost connection only the cursor shows whether the last transaction was committed. */
  function settleSent({ seq, hash }: Cursor): void {
    const last = queue.peekBatch()[sentCount - 1]?.cursorAfter
    if (last?.seq === seq && last.hash === hash) onStored(sentCount, last)
    sentCount = 0
    const expected = queue.oldest()?.expectedSeq ?? storedSeq
    if (expected !== seq) throw new CursorMismatchError({ chain, expected, found: seq })
  }

  function onStored(count: number, cursor: Cursor): void {
    queue.drop(count)
    sentCount = 0
    storedSeq = cursor.seq
    options.onStored(cursor)
  }

  return {
    ended: run(),
    wake: waker.wake,
    hurry() {
      isHurried = true
      waker.wake()
    },
    stop() {
      stopping.abort()
      waker.wake()
    },
    lastError: () => lastError,
    writingSinceMs: () => writingSinceMs,
  }
}

async function pause(
  { chain, logger, retryDelayMsMax }: WriteLoopOptions,
  fault: AppError,
  failures: number,
  signal: AbortSignal,
): Promise<void> {
  const delayMs = Math.min(retryDelayMsMin * 2 ** Math.min(failures, 16), retryDelayMsMax)
  logger.warn({ msg: 'Failed to store blocks', chain, err: fault, delayMs })
  await delay(delayMs, undefined, { signal }).catch(() => undefined)
}

/** One waiter, and functions that wake it. */
type Waker = {
  wake(): void
  /**
   * Waits until `isDone` is true after a wake-up, or the time is over. It is not checked before the
   * first wake-up.
   */
  wait(isDone: () => boolean, timeMsMax?: number): Promise<void>
}

function createWaker(): Waker {
  let wake: () => void = () => undefined
  return {
    wake: () => wake(),
    async wait(isDone, timeMsMax) {
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>((resolve) => {
        if (timeMsMax !== undefined) timer = setTimeout(resolve, timeMsMax)
        wake = () => {
          if (isDone()) resolve()
        }
      })
      clearTimeout(timer)
    },
  }
}

export type QueueLimits = {
  queueBlocksMax: number
  queueBytesMax: number
  batchBlocksMax: number
  batchRowsMax: number
}

/** Writes that are not stored yet, oldest first, each starting where the previous one ends. */
type WriteQueue = {
  /** Returns the sequence of its last entry. */
  push(write: BlockWrite): number
  isFull(): boolean
  length(): number
  sizeBytes(): number
  /**
   * True if a short wait would make a better batch: all queued blocks were final when they were
   * read, so no client waits, and they do not fill a transaction yet.
   */
  isWorthGathering(): boolean
  /**
   * The oldest writes that may share a transaction; only empty if the queue is. A revert goes
   * alone.
   */
  peekBatch(): readonly SequencedWrite[]
  /** Removes the oldest once they are stored. */
  drop(count: number): void
  oldest(): SequencedWrite | undefined
}

export function createWriteQueue(limits: QueueLimits): WriteQueue {
  const { queueBlocksMax, queueBytesMax, batchBlocksMax, batchRowsMax } = limits
  let writes: SequencedWrite[] = []
  /** Stored writes at the front that are not cut off yet: cutting one by one would be quadratic. */
  let head = 0
  let bytes = 0
  let rows = 0
  /** Queued writes that are not of past blocks. */
  let freshCount = 0
  let seqAfter: number | null = null

  return {
    push(write) {
      assertShape(write)
      const { expectedSeq, entries } = write
      assert(seqAfter === null || expectedSeq === seqAfter, 'writes must follow each other')
      seqAfter = expectedSeq + entries.length
      const cursorAfter = { ...write.headAfter, seq: seqAfter }
      writes.push({ ...write, seq: expectedSeq + 1, cursorAfter })
      bytes += bytesOf(write)
      rows += rowsOf(write)
      if (!isPast(write)) freshCount += 1
      return seqAfter
    },
    isFull: () => writes.length - head >= queueBlocksMax || bytes >= queueBytesMax,
    length: () => writes.length - head,
    sizeBytes: () => bytes,
    isWorthGathering: () =>
      freshCount === 0 && rows < batchRowsMax && writes.length - head < batchBlocksMax,
    peekBatch() {
      let end = head
      let batchRows = 0
      while (end < writes.length && end - head < batchBlocksMax) {
        const write = writes[end]!
        if (write.reverted !== null) return writes.slice(head, end === head ? head + 1 : end)
        batchRows += rowsOf(write)
        if (batchRows > batchRowsMax && end > head) break
        end += 1
      }
      return writes.slice(head, end)
    },
    drop(count) {
      assert(count <= writes.length - head)
      for (const write of writes.slice(head, head + count)) {
        bytes -= bytesOf(write)
        rows -= rowsOf(write)
        if (!isPast(write)) freshCount -= 1
      }
      head += count
      if (head * 2 < writes.length) return
      writes = writes.slice(head)
      head = 0
    },
    oldest: () => writes[head],
  }
}

function assertShape({ entries, reverted }: BlockWrite): void {
  assert(entries.length > 0, 'a write carries at least one log entry')
  let changed: number | null = null
  let hasRevert = false
  for (const { type, ref } of entries) {
    if (type === 'revert') hasRevert = true
    if (type !== 'commit' && type !== 'late') continue
    assert(changed === null || changed === ref.number, 'a write changes one block')
    changed = ref.number
  }
  assert(hasRevert === (reverted !== null), 'a revert entry names the block it reverts')
  assert(!hasRevert || entries.length === 1, 'a revert stands alone')
}

function rowsOf({ events, balances }: BlockWrite): number {
  return events.length + balances.length
}

/** A block that was final when it was read, or the entry that finalizes it. */
function isPast({ entries }: BlockWrite): boolean {
  return entries.every(
    ({ type, undo }) => type === 'finalize' || (type === 'commit' && undo === null),
  )
}

// Entries approximate the size of events, which take more memory than bytes.
function bytesOf({ entries }: BlockWrite): number {
  let bytes = 0
  for (const entry of entries) bytes += entry.bytes.byteLength + (entry.undo?.byteLength ?? 0)
  return bytes
}
