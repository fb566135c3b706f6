import { blockTimeOf } from '../../model/block.ts'
import type { LiquidityEvent, SwapEvent } from '../../model/marketEvent.ts'
import type { StoredLiquidity, StoredSwap } from '../../store/read/history.ts'
import type { RecentBlock } from './recentBlock.ts'

/**
 * Returns swaps of recent blocks, which may not be stored yet, in the store's row format, oldest
 * first.
 */
export function recentSwaps(
  blocks: readonly RecentBlock[],
  isWanted: (event: SwapEvent) => boolean,
): StoredSwap[] {
  const rows: StoredSwap[] = []
  for (const { ref, events } of blocks)
    for (const event of events)
      if (event.type === 'swap' && isWanted(event))
        rows.push({ blockNumber: ref.number, ...blockTimeOf(ref), event })
  return rows
}

export function recentLiquidity(
  blocks: readonly RecentBlock[],
  isWanted: (event: LiquidityEvent) => boolean,
): StoredLiquidity[] {
  const rows: StoredLiquidity[] = []
  for (const { ref, events } of blocks)
    for (const event of events)
      if (event.type === 'liquidity' && isWanted(event))
        rows.push({ blockNumber: ref.number, ...blockTimeOf(ref), event })
  return rows
}

/** A range of unix seconds, both ends included. */
export type TimeRange = { fromS: number; toS: number }

export type PageRange = TimeRange & {
  limit: number
  order: 'asc' | 'desc'
}

/** Appends recent rows (oldest first) to a page of stored rows in the page's order. */
export function appendRecentRows<row extends { timeS: number }>(
  stored: readonly row[],
  recent: readonly row[],
  { fromS, toS, limit, order }: PageRange,
): row[] {
  const newer = recent.filter(({ timeS }) => timeS >= fromS && timeS <= toS)
  const rows = order === 'asc' ? [...stored, ...newer] : [...newer.reverse(), ...stored]
  return rows.slice(0, limit)
}
