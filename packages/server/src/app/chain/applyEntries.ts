import { strict as assert } from 'node:assert'
import type { Engine } from '../../engine/engine.ts'
import { ImageDamagedError } from '../../engine/errors.ts'
import { decodeChanges } from '../../ledger/undo.ts'
import type { Metrics } from '../../lib/metrics.ts'
import { decodeEntry } from '../../log/entryCodec.ts'
import type { EntryConsumer } from '../../model/logEntry.ts'
import type { MarketEvent } from '../../model/marketEvent.ts'
import type { Cursor } from '../../store/blockWrite.ts'
import type { BlockWriter, WriterStatus } from '../../store/blockWriter.ts'
import type { EncodedEntry } from '../pipeline/entrySender.ts'

export type EntryCreditOptions = {
  /** Most entries the chain thread may have sent without an acknowledgement. */
  aheadMax: number
  queueBlocksMax: number
  queueBytesMax: number
}

export type EntryApplierOptions = {
  chain: string
  chainId: number
  engine: Engine
  writer: Pick<BlockWriter, 'append' | 'hasFailed'> & {
    status(): Pick<WriterStatus, 'queuedBlocks' | 'queuedBytes' | 'isFull'>
  }
  /** The last stored entry. The engine starts at the same entry. */
  cursor: Cursor
  limits: EntryCreditOptions
  metrics: Metrics
  clock: { nowMs(): number }
  /**
   * Notified in this order of each entry, right after the engine applied it and the writer assigned
   * its seq.
   */
  consumers: readonly EntryConsumer[]
  /** Returns false to hold a block back until `proceed()`. */
  mayApply(number: number): boolean
  /** Grants the chain thread this many more entries to send. */
  onAcknowledged(count: number): void
  /**
   * An image was damaged while an entry was applied. The engine may hold half of the entry, so it
   * applies no more.
   */
  onDamaged(error: ImageDamagedError): void
}

/**
 * Applies entries to the engine, queues them and their changes for the store, and notifies
 * consumers.
 */
export type EntryApplier = {
  /**
   * Queues entries in order from the first block that `mayApply` refuses. Queued entries are not
   * acknowledged, so the sending thread pauses too.
   */
  put(entries: readonly EncodedEntry[]): void
  /** Applies queued entries up to the first block that `mayApply` still refuses. */
  applyHeld(): void
  /**
   * Acknowledges as many entries as the writer's queue has room for. Call it after entries were
   * stored.
   */
  acknowledge(): void
}

export function createEntryApplier(options: EntryApplierOptions): EntryApplier {
  const { chain, chainId, engine, writer, metrics, clock, consumers } = options
  const credit = createEntryCredit(options.limits)
  let lastSeq = options.cursor.seq
  let isBroken = false
  /** Entries held back by `mayApply`, in order. */
  const waiting: EncodedEntry[] = []

  /** Returns the entry's seq in the log. */
  function append(handed: EncodedEntry, events: readonly MarketEvent[]): number {
    const { type, ref, bytes, changes, isFinal, tipTimeS, doubt, settledDoubts, leftOut } = handed
    if (doubt) metrics.doubtfulBlocksTotal.inc({ chain })
    const head = engine.head()
    lastSeq = writer.append({
      chainId,
      expectedSeq: lastSeq,
      entries: [{ type, ref, bytes, undo: type === 'commit' && !isFinal ? changes : null }],
      headAfter: { number: head?.number ?? -1, hash: head?.hash ?? '' },
      events,
      balances: changes === null ? [] : decodeChanges(changes),
      reverted: type === 'revert' ? ref : null,
      nowS: Math.floor(clock.nowMs() / 1_000),
      tipTimeS,
      doubt,
      settledDoubts,
      leftOut,
    })
    return lastSeq
  }

  function apply(handed: EncodedEntry): void {
    const startMs = performance.now()
    const entry = decodeEntry(handed.bytes)
    const events = engine.apply(entry)
    metrics.applyMs.observe({ chain }, performance.now() - startMs)
    const applied = { chain, seq: append(handed, events), entry, events }
    for (const consumer of consumers) consumer.onApplied(applied)
  }

  function applyAll(entries: readonly EncodedEntry[]): void {
    // The service is about to exit; the next start reads these blocks from the chain again.
    if (isBroken || writer.hasFailed()) return
    try {
      for (const handed of entries) apply(handed)
    } catch (error) {
      if (!(error instanceof ImageDamagedError)) throw error
      isBroken = true
      options.onDamaged(error)
    }
  }

  function acknowledge(): void {
    const queue = writer.status()
    metrics.queueBlocks.set({ chain }, queue.queuedBlocks)
    metrics.pausedState.set({ chain }, queue.isFull ? 1 : 0)
    const count = credit.take(queue)
    if (count > 0) options.onAcknowledged(count)
  }

  function applyHeld(): void {
    const isHeld = ({ type, ref }: EncodedEntry) =>
      type === 'commit' && !options.mayApply(ref.number)
    const first = waiting.findIndex(isHeld)
    const due = waiting.splice(0, first < 0 ? waiting.length : first)
    if (due.length === 0) return
    applyAll(due)
    credit.applied(due.length)
    acknowledge()
  }

  return {
    put(entries) {
      waiting.push(...entries)
      applyHeld()
    },
    applyHeld,
    acknowledge,
  }
}

/**
 * Decides how many applied entries to acknowledge. Each acknowledgement lets the sender send one
 * more.
 */
type EntryCredit = {
  applied(count: number): void
  /**
   * Returns how many to acknowledge now, given the writer's queue, and counts these as
   * acknowledged.
   */
  take(queue: { queuedBlocks: number; queuedBytes: number }): number
}

/**
 * Withholds acknowledgements so that everything the sender may still send fits into the writer's
 * queue, which never exceeds its limit.
 */
export function createEntryCredit(options: EntryCreditOptions): EntryCredit {
  const { aheadMax, queueBlocksMax, queueBytesMax } = options
  assert(aheadMax <= queueBlocksMax, 'the queue has room for all that is under way')
  let heldCount = 0
  return {
    applied(count) {
      heldCount += count
    },
    take({ queuedBlocks, queuedBytes }) {
      if (queuedBytes >= queueBytesMax) return 0
      const keptCount = Math.max(0, queuedBlocks + aheadMax - queueBlocksMax)
      const count = Math.max(0, heldCount - keptCount)
      heldCount -= count
      return count
    },
  }
}
