import type { BlockRef } from '../../model/block.ts'
import type { GatewayChain } from '../gatewayChain.ts'
import type { RecentBlock } from '../recent/recentBlock.ts'
import type { ChainMarket } from './chainMarket.ts'
import { type Cursor, endIndex, formatCursor, hash8Of } from './cursor.ts'
import type { FeedHistory } from './feedHistory.ts'

// A reorg that is deeper than memory is some hundred blocks.
const numbersPerRead = 1_000

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

/** A cursor that cannot be found: of a number whose block the store has taken back, or nothing that is known here. */
export async function locateTakenBack(
  { chain }: ChainMarket,
  history: FeedHistory,
  { number }: Cursor,
): Promise<Located> {
  const taken = await history.findTakenBack(chain, { from: number, to: number })
  return { fault: taken.has(number) ? 'cursor_orphaned' : 'cursor_unknown' }
}

/**
 * The end of a block that everybody who saw any block of this number has seen: the deepest one that a reorg in memory can
 * leave, or below that one that was never taken back. That a block is final by now is not enough: it may have become so
 * in the place of the one that the reader saw.
 */
export async function lastCommonCursor(
  { recent, chain }: ChainMarket,
  history: FeedHistory | null,
  number: number,
): Promise<string | null> {
  const depth = chain.profile.reorgDepthMax
  const deepest = await belowTakenBack(chain, history, number - depth)
  const block = recent.find(deepest)
  if (block !== undefined) return formatCursor(block.ref, endIndex)
  const numbers = Array.from({ length: depth }, (_, at) => deepest + at)
  const stored = (await history?.findBlocks(chain, numbers)) ?? new Map<number, BlockRef>()
  // Numbers may skip, and on a young chain the first block is as deep as it goes.
  const found = numbers.find((at) => stored.has(at) || recent.find(at) !== undefined)
  const ref = found === undefined ? undefined : (stored.get(found) ?? recent.find(found)?.ref)
  return ref === undefined ? null : formatCursor(ref, endIndex)
}

/** The highest block up to a number that was never taken back. */
async function belowTakenBack(
  chain: GatewayChain,
  history: FeedHistory | null,
  number: number,
): Promise<number> {
  let at = number
  for (let from = at - numbersPerRead; history !== null && at > from; from = at - numbersPerRead) {
    const taken = await history.findTakenBack(chain, { from, to: at })
    while (taken.has(at)) at -= 1
    if (at >= from) break
  }
  return at
}

export function placeIn({ ref }: RecentBlock, index: number): Place {
  return { number: ref.number, hash: ref.hash, index, timeS: ref.timeS }
}
