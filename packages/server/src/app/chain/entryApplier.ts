import type { Engine } from '../../engine/engine.ts'
import { ImageDamagedError } from '../../engine/errors.ts'
import { decodeChanges } from '../../ledger/undo.ts'
import type { Metrics } from '../../lib/metrics.ts'
import { decodeEntry } from '../../log/entryCodec.ts'
import type { EntryConsumer } from '../../model/logEntry.ts'
import type { MarketEvent } from '../../model/marketEvent.ts'
import type { Cursor } from '../../store/blockWrite.ts'
import type { BlockWriter } from '../../store/blockWriter.ts'
import type { HandedEntry } from '../pipeline/handedEntry.ts'

export type EntryApplierOptions = {
  chain: string
  chainId: number
  engine: Engine
  writer: Pick<BlockWriter, 'append' | 'hasFailed'>
  /** Where the store ends, and so does the engine. */
  cursor: Cursor
  metrics: Metrics
  clock: { nowMs(): number }
  /** Told of each entry, in this order, right after the engine took it and the log has given it its place. */
  consumers: readonly EntryConsumer[]
  /** Half an entry may be in the engine; nothing more is applied. */
  onDamaged(error: ImageDamagedError): void
}

/** Takes entries through the engine, queues them, with what they changed, to be stored, and notifies the consumers. */
type EntryApplier = (entries: readonly HandedEntry[]) => void

export function createEntryApplier(options: EntryApplierOptions): EntryApplier {
  const { chain, chainId, engine, writer, metrics, clock, consumers } = options
  let lastSeq = options.cursor.seq
  let isBroken = false

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

  return (entries) => {
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
}
