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
import type { HandedEntry } from '../pipeline/handOver.ts'

export type EntryCreditOptions = {
  /** Entries the sender may have under way. */
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
  /** Where the store ends, and so does the engine. */
  cursor: Cursor
  limits: EntryCreditOptions
  metrics: Metrics
  clock: { nowMs(): number }
  /** Notified of each entry, in this order, right after the engine took it and the log has given it its place. */
  consumers: readonly EntryConsumer[]
  /** May a block of this number be applied by now? */
  mayApply(number: number): boolean
  /** The sender may send so many more. */
  onAcknowledged(count: number): void
  /** Half an entry may be in the engine; nothing more is applied. */
  onDamaged(error: ImageDamagedError): void
}

/** Takes entries through the engine, queues them, with what they changed, to be stored, and notifies the consumers. */
export type EntryApplier = {
  /**
   * From the first block that may not be applied yet, entries wait in order. They are not acknowledged meanwhile, so the thread
   * that sends them pauses as well.
   */
  put(entries: readonly HandedEntry[]): void
  /** Applies what may be applied by now. */
  proceed(): void
  /** Acknowledges what the queue has room for; to be called when entries were stored. */
  acknowledge(): void
}

export function createEntryApplier(options: EntryApplierOptions): EntryApplier {
  const { chain, chainId, engine, writer, metrics, clock, consumers } = options
  const credit = createEntryCredit(options.limits)
  let lastSeq = options.cursor.seq
  let isBroken = false
  /** Their time has not come. */
  const waiting: HandedEntry[] = []

  /** Gives its place in the log. */
  function append(handed: HandedEntry, events: readonly MarketEvent[]): number {
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

  function apply(handed: HandedEntry): void {
    const startMs = performance.now()
    const entry = decodeEntry(handed.bytes)
    const events = engine.apply(entry)
    metrics.applyMs.observe({ chain }, performance.now() - startMs)
    const applied = { chain, seq: append(handed, events), entry, events }
    for (const consumer of consumers) consumer.applied(applied)
  }

  function applyAll(entries: readonly HandedEntry[]): void {
    // The service is about to end, and what the thread still sends is read again by the next start.
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

  function proceed(): void {
    const isHeld = ({ type, ref }: HandedEntry) =>
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
      proceed()
    },
    proceed,
    acknowledge,
  }
}

/** Decides which applied entries are acknowledged: each lets the sender send one more. */
type EntryCredit = {
  applied(count: number): void
  /** How many may be acknowledged now, given what waits to be stored. They count as acknowledged. */
  take(queue: { queuedBlocks: number; queuedBytes: number }): number
}

/** Holds back so many that all the sender may still send finds room in the queue: it never grows over its limit. */
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
