import assert from 'node:assert/strict'
import type { BlockWrite, SequencedWrite } from '../blockWrite.ts'

export type QueueLimits = {
  queueBlocksMax: number
  queueBytesMax: number
  batchBlocksMax: number
  batchRowsMax: number
}

/** Writes that are not stored yet, oldest first, each starting where the previous one ends. */
export type WriteQueue = {
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
