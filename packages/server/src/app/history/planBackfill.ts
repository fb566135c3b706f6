import type { BackfillState } from '../../gateway/chain/gatewayChain.ts'
import { blockNumberBelow, blockNumberDistance, highestNumberBefore } from '../../model/block.ts'

export type BackfillPlanInput = {
  /** Block that history must begin with; null: the first stored block. */
  wantedNumber: number | null
  /** First stored block. */
  firstNumber: number
  /** Newest applied block. */
  headNumber: number
  /**
   * Trades in final blocks were skipped because a node wrongly reported their pools as not being
   * pools.
   */
  hasMissedPools: boolean
  /** A final stored block differs from the chain. */
  hasUntrueBlocks: boolean
  /** Blocks before the head that the first backfill covers. */
  firstBlocks: number
}

export type BackfillPlan = Pick<BackfillState, 'reason' | 'fromNumber' | 'wantedNumber'>

// Each backfill reaches this many times further back than the one before, and re-reads what that
// one read. In total this reads an eighth more than a single backfill, and recent history is there
// after a few minutes.
const growth = 8

/**
 * Returns the next backfill, which ends at the head and replaces the stored chain; null: nothing to
 * do.
 */
export function planBackfill(facts: BackfillPlanInput): BackfillPlan | null {
  const { firstNumber, headNumber, hasMissedPools, hasUntrueBlocks } = facts
  const wantedNumber = Math.min(facts.wantedNumber ?? firstNumber, firstNumber)
  if (wantedNumber < firstNumber) {
    const known = blockNumberDistance(firstNumber, headNumber)
    const blocks = Math.max(facts.firstBlocks, known * growth)
    // If little would remain for another backfill, include it in this one.
    const isLast = blockNumberDistance(wantedNumber, headNumber) <= blocks * 2
    const below = Math.min(blockNumberBelow(headNumber, blocks), highestNumberBefore(firstNumber))
    const fromNumber = isLast ? wantedNumber : below
    return { reason: 'start', fromNumber: Math.max(fromNumber, wantedNumber), wantedNumber }
  }
  if (!hasMissedPools && !hasUntrueBlocks) return null
  const reason = hasMissedPools ? 'pools' : 'doubts'
  return { reason, fromNumber: wantedNumber, wantedNumber }
}

const dayS = 86_400

/** Converts `history.from` to a block number or to unix seconds. */
export function parseHistoryStart(
  from: number | string,
  nowS: number,
): { number: number } | { timeS: number } {
  if (typeof from === 'number') return { number: from }
  if (from.endsWith('d')) return { timeS: Math.max(0, nowS - Number.parseInt(from, 10) * dayS) }
  return { timeS: Math.floor(Date.parse(from) / 1_000) }
}
