import { type BlockRef, blockNumberDistance, highestNumberBefore } from '../../../model/block.ts'
import { blockEndIndex, type Cursor, formatCursor, hash8Of } from '../../chain/cursor.ts'
import type { GatewayChain } from '../../chain/gatewayChain.ts'
import type { RecentBlock } from '../../chain/recentBlock.ts'
import type { ChainMarket } from '../chainMarket.ts'
import type { ReplayStore } from './replayStore.ts'

// A reorg that is deeper than the blocks in memory reverts some hundred blocks, fewer than one
// page.
const revertedPerRead = 1_000

/** A cursor whose block is known: canonical, or reverted and still in memory. */
export type ResolvedCursor = { number: number; hash: string; index: number; timeS: number }

export type CursorLookup =
  | { place: ResolvedCursor }
  | { fault: 'cursor_orphaned' | 'cursor_unknown' }

/** Locates a cursor in memory; null if only the store can know its block. */
export function locateInMemory(
  { recent, chain }: ChainMarket,
  { number, hash8, index }: Cursor,
): CursorLookup | null {
  const block = recent.find(number)
  if (block !== undefined && hash8Of(block.ref.hash) === hash8)
    return { place: resolvedCursorIn(block, index) }
  const orphan = recent.findOrphanAt(number, hash8)
  if (orphan !== undefined) return { place: resolvedCursorIn(orphan.block, index) }
  const head = chain.reads.head()
  if (head === null) return { fault: 'cursor_unknown' }
  // A reorg may have left a shorter chain. A number further ahead is of another chain or another
  // server.
  if (number > head.number) {
    const isNear = blockNumberDistance(head.number, number) <= chain.profile.reorgDepthMax
    return { fault: isNear ? 'cursor_orphaned' : 'cursor_unknown' }
  }
  if (recent.first === undefined || number < recent.first.ref.number) return null
  return { fault: 'cursor_orphaned' }
}

export async function locateInStore(
  { chain }: ChainMarket,
  history: ReplayStore,
  { number, hash8, index }: Cursor,
): Promise<CursorLookup> {
  const ref = (await history.findBlocks(chain, [number])).get(number)
  if (ref === undefined) return { fault: 'cursor_unknown' }
  if (hash8Of(ref.hash) !== hash8) return { fault: 'cursor_orphaned' }
  return { place: { number, hash: ref.hash, index, timeS: ref.timeS } }
}

/**
 * Classifies a cursor whose block was not found: `cursor_orphaned` if the store reverted a block of
 * that number.
 */
export async function locateReverted(
  { chain }: ChainMarket,
  history: ReplayStore,
  { number }: Cursor,
): Promise<CursorLookup> {
  const [highest] = await history.loadReverted(chain, number, 1)
  return { fault: highest?.number === number ? 'cursor_orphaned' : 'cursor_unknown' }
}

/**
 * Cursor at the end of a block that every client has seen that saw any block of this number.
 * That is the deepest block a reorg in memory can leave, or an older one that all reverted blocks
 * follow.
 * A final block does not suffice: it may have replaced the block that the client saw.
 */
export async function lastCommonCursor(
  market: ChainMarket,
  history: ReplayStore | null,
  number: number,
): Promise<string | null> {
  const { chain, recent } = market
  const deepest = await deepestRevertible(market, history, number)
  if (deepest === undefined) return null
  const common = await belowReverted(chain, history, { number, from: deepest.number })
  if (common === deepest.number) return formatCursor(deepest, blockEndIndex)
  const stored = await history?.findBlocks(chain, [common])
  const ref = recent.find(common)?.ref ?? stored?.get(common)
  return ref === undefined ? null : formatCursor(ref, blockEndIndex)
}

/** The block that is the maximum reorg depth below a number; on a young chain, the first block. */
async function deepestRevertible(
  { chain, recent }: ChainMarket,
  history: ReplayStore | null,
  number: number,
): Promise<BlockRef | undefined> {
  const { reorgDepthMax } = chain.profile
  // A cursor above the head is of a reverted block. The search covers the cursor's own number and
  // as many blocks below it as a reorg may revert.
  const aheadNumbers = blockNumberDistance(chain.reads.head()?.number ?? number, number)
  let left = 1 + reorgDepthMax - Math.min(reorgDepthMax, Math.max(0, aheadNumbers))
  let deepest: BlockRef | undefined
  for (const { ref } of recent.newestFirst()) {
    if (ref.number > number) continue
    deepest = ref
    left -= 1
    if (left === 0) return deepest
  }
  const toNumber = deepest?.parentNumber ?? number
  const stored = await history?.loadBlocksUpTo(chain, toNumber, left)
  return stored?.at(-1) ?? deepest
}

/**
 * The highest number, at most `from`, that no reverted block up to `number` skips: all their
 * parents are at or above it.
 */
async function belowReverted(
  chain: GatewayChain,
  history: ReplayStore | null,
  { number, from }: { number: number; from: number },
): Promise<number> {
  let at = from
  for (let toNumber = number; history !== null; ) {
    const reverted = await history.loadReverted(chain, toNumber, revertedPerRead)
    for (const block of reverted) {
      if (block.number < at) return at
      at = Math.min(at, block.parentNumber)
    }
    const lowest = reverted.at(-1)
    if (lowest === undefined || reverted.length < revertedPerRead) return at
    // The next page may begin with further blocks of the same number.
    toNumber = lowest.number < toNumber ? lowest.number : highestNumberBefore(toNumber)
  }
  return at
}

export function resolvedCursorIn({ ref }: RecentBlock, index: number): ResolvedCursor {
  return { number: ref.number, hash: ref.hash, index, timeS: ref.timeS }
}
