import assert from 'node:assert/strict'
import { setImmediate as yieldLoop } from 'node:timers/promises'
import type { BlockRef } from '../../../model/block.ts'
import { endedKlineColumn as K, klineRowWidth } from '../../../model/klines/endedKlines.ts'
import type { MarketEvent } from '../../../model/marketEvent.ts'
import { type PairMilestone, pairMilestonesOf } from '../../../model/pairMilestones.ts'
import type { BlockWrite, SequencedWrite } from '../../blockWrite.ts'
import { type DailyTable, dayOf, dayS, firstDayKept, type Retention } from '../../retention.ts'
import { CopyBytes } from './copyBinary.ts'
import {
  addKlineRow,
  addLiquidityRow,
  addLogRow,
  addSwapRow,
  type HistoryTable,
  klineTableOf,
} from './historyRows.ts'

/** Rows of several writes, ready for COPY, and their days. */
export type BatchRows = {
  bytes: Record<HistoryTable, CopyBytes>
  days: Record<DailyTable, Set<number>>
  /** Earlier swaps were too old to be stored; null if none was. */
  swapsFromS: number | null
}

// About 3 ms of encoding; then requests get the thread.
const rowsPerTurn = 1_000

/** The block whose market a write changes; null for entries that change none. */
export function blockOf(write: BlockWrite): BlockRef | null {
  const row = write.entries.find(({ type }) => type === 'commit' || type === 'late')
  return row?.ref ?? null
}

/** Encodes rows that are recent enough to be kept. */
export async function encodeBatch(
  writes: readonly SequencedWrite[],
  retention: Retention,
): Promise<BatchRows> {
  const rows = emptyRows()
  let sinceTurn = 0
  for (const write of writes) {
    write.entries.forEach((entry, position) => {
      const news = entry.type === 'commit' ? milestoneCodesOf(pairMilestonesOf(write.events)) : []
      addLogRow(rows.bytes.log, write.chainId, write.seq + position, entry, news)
      rows.days.log.add(dayOf(entry.ref.timeS))
    })
    const block = blockOf(write)
    if (block !== null)
      for (const event of write.events) addEvent(rows, write, block, event, retention)
    for (const event of write.events) sinceTurn += event.type === 'endedKlines' ? event.count : 1
    if (sinceTurn < rowsPerTurn) continue
    sinceTurn = 0
    await yieldLoop()
  }
  return rows
}

function addEvent(
  rows: BatchRows,
  { chainId, nowS: clockS, tipTimeS }: BlockWrite,
  block: BlockRef,
  event: MarketEvent,
  retention: Retention,
): void {
  // A clock ahead of the chain would drop new rows.
  const nowS = Math.min(clockS, tipTimeS ?? clockS)
  const isKept = (table: Exclude<DailyTable, 'log'>, timeS: number) => {
    const day = dayOf(timeS)
    if (day < firstDayKept(nowS, retention[table])) return false
    rows.days[table].add(day)
    return true
  }
  if (event.type === 'swap') {
    if (isKept('swaps', block.timeS)) addSwapRow(rows.bytes.swaps, chainId, block, event)
    else rows.swapsFromS = Math.max(rows.swapsFromS ?? 0, (dayOf(block.timeS) + 1) * dayS)
  } else if (event.type === 'liquidity') {
    if (isKept('liquidity', block.timeS))
      addLiquidityRow(rows.bytes.liquidity, chainId, block, event)
  } else if (event.type === 'endedKlines') {
    for (let at = 0; at < event.count * klineRowWidth; at += klineRowWidth) {
      const table = klineTableOf(event.rows[at + K.interval]!)
      if (table !== 'klines' && !isKept(table, event.rows[at + K.startS]!)) continue
      addKlineRow(rows.bytes[table], chainId, block, event.rows, at)
    }
  } else {
    assert(event.type !== 'reverted', 'a commit takes nothing back')
  }
}

function emptyRows(): BatchRows {
  return {
    bytes: {
      swaps: new CopyBytes(),
      liquidity: new CopyBytes(),
      log: new CopyBytes(),
      klines_s1: new CopyBytes(),
      klines_k1: new CopyBytes(),
      klines: new CopyBytes(),
    },
    days: {
      log: new Set(),
      swaps: new Set(),
      liquidity: new Set(),
      klines_s1: new Set(),
      klines_k1: new Set(),
    },
    swapsFromS: null,
  }
}

/**
 * Encoding in the log's column: the id of a created pair, and a negative one for a graduated pair.
 */
function milestoneCodesOf(news: readonly PairMilestone[]): number[] {
  return news.map(({ event, pairId }) => (event === 'created' ? pairId : -1 - pairId))
}

/** Decodes `milestoneCodesOf`. */
export function milestonesOfCodes(codes: readonly number[]): PairMilestone[] {
  return codes.map((code) =>
    code >= 0 ? { event: 'created', pairId: code } : { event: 'graduated', pairId: -1 - code },
  )
}
