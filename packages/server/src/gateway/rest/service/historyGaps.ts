import type { HistoryGap, HistoryGapReason } from '@chaintape/protocol'
import {
  blockNumberDistance,
  highestNumberBefore,
  isNearHead,
  lowestNumberAfter,
} from '../../../model/block.ts'
import type { BackfillState, BackfillStatus, ChainStatus } from '../../chain/gatewayChain.ts'

export type HistoryFacts = Pick<
  ChainStatus,
  | 'startBlock'
  | 'history'
  | 'tipNumber'
  | 'tipTimeS'
  | 'persistedNumber'
  | 'unresolvedPools'
  | 'missedPools'
  | 'forgottenContracts'
  | 'past'
> & {
  chain: string
  /** Newest applied block; null before the first. */
  headNumber: number | null
  /** Unix seconds of the newest applied block. */
  headTimeS: number | null
}

/** Lists what is missing from a chain's history between the configured start and the head. */
export function historyGapsOf(facts: HistoryFacts): HistoryGap[] {
  const gaps = [backfillGap, startGap, retentionGap, unresolvedGap].map((gapIn) => gapIn(facts))
  return [...gaps, ...missedGaps(facts), forgottenGap(facts)].filter((gap) => gap !== null)
}

function backfillGap({ tipNumber, tipTimeS, ...facts }: HistoryFacts): HistoryGap | null {
  const { startBlock, headNumber, headTimeS } = facts
  const start = startBlock === 'latest' ? null : startBlock
  const from = headNumber === null ? start : lowestNumberAfter(headNumber)
  if (tipNumber === null)
    return gapOf('backfill', 'No node has reported the newest block yet.', { from })
  const tip = { number: tipNumber, timeS: tipTimeS ?? Number.POSITIVE_INFINITY }
  // A chain in sync is always a few blocks behind the head, which is not a gap.
  if (headNumber !== null && isNearHead({ number: headNumber, timeS: headTimeS ?? 0 }, tip))
    return null
  const msg = `Blocks ${from === null ? '' : `${from} `}to ${tipNumber} are still being read.`
  return gapOf('backfill', msg, { from, to: tipNumber })
}

function startGap({ startBlock, history, past, ...facts }: HistoryFacts): HistoryGap | null {
  const { firstNumber } = history
  if (facts.persistedNumber === null) return null
  if (past && past.wantedNumber === undefined)
    return gapOf('start', 'No node has reported yet which block history must begin with.', {})
  if (firstNumber === null)
    return gapOf('unknown', 'The first block of the stored history was not recorded.', {})
  const configured = startBlock === 'latest' ? firstNumber : startBlock
  const from = Math.min(configured, past?.wantedNumber ?? configured)
  if (from >= firstNumber) return null
  const to = highestNumberBefore(firstNumber)
  const msg = `Blocks ${from} to ${to} are not stored yet. ${backfillTextOf(past)}`
  return gapOf('start', msg, { from, to })
}

/** Describes the progress of the backfill, as a sentence for a gap's message. */
function backfillTextOf(past: BackfillStatus | null | undefined): string {
  if (!past) return 'The process that ingests the chain backfills it.'
  const { progress } = past
  if (progress === null) return 'The backfill starts once the chain has reached the head.'
  const { fromNumber, nextNumber, toNumber, pausedReason } = progress
  const left = backfillSecondsLeft(progress)
  const end = left === null ? '' : `, about ${left} s left`
  const pause = pausedReason === null ? '' : ` Paused: ${pausedReason}.`
  return `Backfill from block ${fromNumber}: at ${nextNumber}${toNumber === null ? '' : ` of ${toNumber}`}${end}.${pause}`
}

/** Estimates the seconds until the backfill reaches the head; null while it makes no progress. */
export function backfillSecondsLeft(reading: BackfillState): number | null {
  const { nextNumber, toNumber, blocksPerS } = reading
  if (toNumber === null || blocksPerS === 0) return null
  return Math.ceil(Math.max(0, blockNumberDistance(nextNumber, toNumber)) / blocksPerS)
}

function retentionGap({ history: { swapsFromS } }: HistoryFacts): HistoryGap | null {
  if (swapsFromS === null) return null
  const time = new Date(swapsFromS * 1_000).toISOString().replace('.000', '')
  const msg = `Swaps before ${time} are not kept (retention.swaps_days).`
  return { ...gapOf('retention', msg, {}), before_time: swapsFromS }
}

function unresolvedGap({ unresolvedPools, headNumber }: HistoryFacts): HistoryGap | null {
  if (unresolvedPools === 0) return null
  const msg = `The next block waits: no node answers whether ${unresolvedPools} contracts are pools.`
  return gapOf('pools', msg, { from: headNumber === null ? null : lowestNumberAfter(headNumber) })
}

/**
 * Describes when missing trades of final blocks will be added. Final blocks can be corrected only
 * by reading the chain again, see docs/operate/operating.md.
 */
function remedyOf({ past }: HistoryFacts): string {
  return `The chain is read again for them. ${backfillTextOf(past)}`
}

function missedGaps(facts: HistoryFacts): HistoryGap[] {
  const { missedPools } = facts
  if (missedPools === null) return []
  const remedy = remedyOf(facts)
  const { count, pools, fromNumber, toNumber } = missedPools
  const gaps = pools.map(({ address, fromNumber: from, toNumber: to }) => {
    const msg = `Trades of the pool ${address} in blocks ${from} to ${to} are missing: a node reported that the contract is not a pool. ${remedy}`
    return gapOf('pools', msg, { from, to })
  })
  if (count === pools.length) return gaps
  const msg = `Trades of ${count - pools.length} more pools in blocks ${fromNumber} to ${toNumber} are missing. ${remedy}`
  return [...gaps, gapOf('pools', msg, { from: fromNumber, to: toNumber })]
}

function forgottenGap(facts: HistoryFacts): HistoryGap | null {
  const { forgottenContracts } = facts
  if (!forgottenContracts) return null
  const remedy = remedyOf(facts)
  const { count, fromNumber: from, toNumber: to } = forgottenContracts
  const msg = `Events of ${count} contracts in blocks ${from} to ${to} are missing, and the addresses of these contracts are no longer stored. ${remedy}`
  return gapOf('pools', msg, { from, to })
}

function gapOf(
  reason: HistoryGapReason,
  msg: string,
  { from = null, to = null }: { from?: number | null; to?: number | null },
): HistoryGap {
  return { reason, msg, from_block: from, to_block: to, before_time: null }
}
