import type { ChainMarket } from './chainMarket.ts'
import { type Cursor, endIndex, formatCursor, hash8Of } from './cursor.ts'
import type { FeedHistory } from './feedHistory.ts'
import type { RecentBlock } from './recentBlock.ts'

/** A cursor whose block is known, be it still in the chain or held after it was taken back. */
export type Place = { number: number; hash: string; index: number; timeS: number }

export type Located = { place: Place } | { fault: 'cursor_orphaned' | 'cursor_unknown' }

/** From memory alone; null when only the store can tell. */
export function locateInMemory(
  { recent, chain }: ChainMarket,
  { number, hash8, index }: Cursor,
): Located | null {
  const block = recent.find(number)
  if (block !== undefined && hash8Of(block.ref.hash) === hash8)
    return { place: placeIn(block, index) }
  const orphan = recent.orphanAt(number, hash8)
  if (orphan !== undefined) return { place: placeIn(orphan.block, index) }
  const head = chain.reads.head()
  if (head === null) return { fault: 'cursor_unknown' }
  // A reorg may have left a shorter chain; further ahead it is another chain's, or another server's.
  if (number > head.number) {
    const isNear = number - head.number <= chain.profile.reorgDepthMax
    return { fault: isNear ? 'cursor_orphaned' : 'cursor_unknown' }
  }
  if (recent.first === undefined || number < recent.first.ref.number) return null
  return { fault: 'cursor_orphaned' }
}

export async function locateInStore(
  { chain }: ChainMarket,
  history: FeedHistory,
  { number, hash8, index }: Cursor,
): Promise<Located> {
  const ref = (await history.findBlocks(chain, [number])).get(number)
  if (ref === undefined) return { fault: 'cursor_unknown' }
  if (hash8Of(ref.hash) !== hash8) return { fault: 'cursor_orphaned' }
  return { place: { number, hash: ref.hash, index, timeS: ref.timeS } }
}

/** The end of a block that everybody who saw a block of this number has seen: a final one. */
export async function lastCommonCursor(
  { recent, chain }: ChainMarket,
  history: FeedHistory | null,
  number: number,
): Promise<string | null> {
  const finalNumber = Math.min(number - 1, chain.reads.finalizedNumber())
  const block = recent.findUpTo(finalNumber)
  if (block !== undefined) return formatCursor(block.ref, endIndex)
  const ref = (await history?.findBlocks(chain, [finalNumber]))?.get(finalNumber)
  return ref === undefined ? null : formatCursor(ref, endIndex)
}

export function placeIn({ ref }: RecentBlock, index: number): Place {
  return { number: ref.number, hash: ref.hash, index, timeS: ref.timeS }
}
