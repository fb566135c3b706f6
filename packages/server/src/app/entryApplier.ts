import type { Engine } from '../engine/engine.ts'
import { decodeChanges } from '../ledger/undo.ts'
import type { Metrics } from '../lib/metrics.ts'
import { decodeEntry } from '../log/entryCodec.ts'
import type { BlockRef } from '../model/block.ts'
import type { LogEntry } from '../model/logEntry.ts'
import type { MarketEvent } from '../model/marketEvent.ts'
import type { Cursor } from '../store/blockWrite.ts'
import type { BlockWriter } from '../store/blockWriter.ts'
import type { HandedEntry } from './handedEntry.ts'

export type EntryApplierOptions = {
  chain: string
  chainId: number
  engine: Engine
  writer: Pick<BlockWriter, 'append' | 'hasFailed'>
  /** Where the store ends, and so does the engine. */
  cursor: Cursor
  metrics: Metrics
  clock: { nowMs(): number }
  onApplied: OnApplied
}

/** Called with each entry right after the engine took it, with what it changed. */
export type OnApplied = (entry: LogEntry, events: readonly MarketEvent[]) => void

/** Takes entries through the engine and queues them, with what they changed, to be stored. */
export type EntryApplier = (entries: readonly HandedEntry[]) => void

export function createEntryApplier(options: EntryApplierOptions): EntryApplier {
  const { chain, chainId, engine, writer, metrics, clock, onApplied } = options
  let { cursor } = options

  function append(handed: HandedEntry, events: readonly MarketEvent[]): void {
    const { type, ref, bytes, changes, isFinal, tipTimeS, doubt } = handed
    if (doubt) metrics.doubtfulBlocksTotal.inc({ chain })
    const before = cursor
    const head = engine.head()
    cursor = { seq: before.seq + 1, number: head?.number ?? -1, hash: head?.hash ?? '' }
    writer.append({
      chainId,
      seq: cursor.seq,
      entries: [{ type, ref, bytes, undo: type === 'commit' && !isFinal ? changes : null }],
      cursorBefore: { seq: before.seq },
      cursorAfter: cursor,
      events,
      balances: changes === null ? [] : decodeChanges(changes),
      reverted: type === 'revert' ? ref : null,
      nowS: Math.floor(clock.nowMs() / 1_000),
      tipTimeS,
      doubt,
    })
  }

  function apply(handed: HandedEntry): LogEntry {
    const startMs = performance.now()
    const entry = decodeEntry(handed.bytes)
    const events = engine.apply(entry)
    metrics.applyMs.observe({ chain }, performance.now() - startMs)
    onApplied(entry, events)
    append(handed, events)
    if (entry.type === 'revert') metrics.revertsTotal.inc({ chain })
    if (entry.type === 'commit')
      metrics.blockToMarketMs.observe({ chain }, Date.now() - entry.block.receivedMs)
    return entry
  }

  return (entries) => {
    // The service is about to end, and what the thread still sends is read again by the next start.
    if (writer.hasFailed()) return
    let blockCount = 0
    let head: BlockRef | null = null
    for (const handed of entries) {
      const entry = apply(handed)
      if (entry.type !== 'commit') continue
      blockCount += 1
      head = entry.block.ref
    }
    if (head === null) return
    metrics.blocksTotal.inc({ chain }, blockCount)
    metrics.pairsAlive.set({ chain }, engine.pairCount())
    metrics.tokensAlive.set({ chain }, engine.tokenCount())
    metrics.headBlock.set({ chain }, head.number)
    metrics.headTimeS.set({ chain }, head.timeS)
  }
}
