import type { HistoryGap, HistoryGapReason } from '@chaintape/protocol'
import { greatestNumberBefore, leastNumberAfter, numbersApart } from '../../../model/block.ts'
import type { ChainStatus } from '../../gatewayChain.ts'

export type HistoryFacts = Pick<
  ChainStatus,
  | 'startBlock'
  | 'history'
  | 'tipNumber'
  | 'persistedNumber'
  | 'unresolvedPools'
  | 'missedPools'
  | 'forgottenContracts'
> & {
  chain: string
  /** Newest block applied; null before the first. */
  headNumber: number | null
}

// A chain that is followed is a few blocks behind while they are on their way.
const behindBlocksMax = 8

/** What is missing of a chain's history from where it shall begin up to the newest block. */
export function historyGapsOf(facts: HistoryFacts): HistoryGap[] {
  const gaps = [backfillGap, startGap, retentionGap, unresolvedGap].map((gapIn) => gapIn(facts))
  return [...gaps, ...missedGaps(facts), forgottenGap(facts)].filter((gap) => gap !== null)
}

function backfillGap({ startBlock, tipNumber, headNumber }: HistoryFacts): HistoryGap | null {
  const start = startBlock === 'latest' ? null : startBlock
  const from = headNumber === null ? start : leastNumberAfter(headNumber)
  if (tipNumber === null)
    return gapOf('backfill', 'No node has told of the newest block yet.', { from })
  if (headNumber !== null && numbersApart(headNumber, tipNumber) <= behindBlocksMax) return null
  const msg = `Blocks ${from === null ? '' : `${from} `}to ${tipNumber} are still being read.`
  return gapOf('backfill', msg, { from, to: tipNumber })
}

function startGap({ startBlock, history, persistedNumber }: HistoryFacts): HistoryGap | null {
  const { firstNumber } = history
  if (persistedNumber === null) return null
  if (firstNumber === null)
    return gapOf('unknown', 'Which block history begins with was not noted when it was stored.', {})
  if (startBlock === 'latest' || startBlock >= firstNumber) return null
  const [from, to] = [startBlock, greatestNumberBefore(firstNumber)]
  const msg = `Blocks ${from} to ${to} were never read, and nothing can be put before what is stored: start_block was another then.`
  return gapOf('start', msg, { from, to })
}

function retentionGap({ history: { swapsFromS } }: HistoryFacts): HistoryGap | null {
  if (swapsFromS === null) return null
  const time = new Date(swapsFromS * 1_000).toISOString().replace('.000', '')
  const msg = `Swaps before ${time} are not kept (retention.swaps_days).`
  return { ...gapOf('retention', msg, {}), before_time: swapsFromS }
}

function unresolvedGap({ unresolvedPools, headNumber }: HistoryFacts): HistoryGap | null {
  if (unresolvedPools === 0) return null
  const msg = `The next block waits: no node says of ${unresolvedPools} contracts whether they are pools.`
  return gapOf('pools', msg, { from: headNumber === null ? null : leastNumberAfter(headNumber) })
}

/** The only way to final blocks: docs/operating.md has it. */
function remedyOf({ chain }: HistoryFacts): string {
  return `\`chaintape backfill --chain ${chain} --again\` reads the chain again.`
}

function missedGaps(facts: HistoryFacts): HistoryGap[] {
  const { missedPools } = facts
  if (missedPools === null) return []
  const remedy = remedyOf(facts)
  const { count, pools, fromNumber, toNumber } = missedPools
  const gaps = pools.map(({ address, fromNumber: from, toNumber: to }) => {
    const msg = `Trades of the pool ${address} in blocks ${from} to ${to} were left out: a node said that it is none. ${remedy}`
    return gapOf('pools', msg, { from, to })
  })
  if (count === pools.length) return gaps
  const msg = `Trades of ${count - pools.length} more pools in blocks ${fromNumber} to ${toNumber} were left out. ${remedy}`
  return [...gaps, gapOf('pools', msg, { from: fromNumber, to: toNumber })]
}

function forgottenGap(facts: HistoryFacts): HistoryGap | null {
  const { forgottenContracts } = facts
  if (!forgottenContracts) return null
  const remedy = remedyOf(facts)
  const { count, fromNumber: from, toNumber: to } = forgottenContracts
  const msg = `Events of ${count} contracts in blocks ${from} to ${to} were left out, and which they are is no longer known. ${remedy}`
  return gapOf('pools', msg, { from, to })
}

function gapOf(
  reason: HistoryGapReason,
  msg: string,
  { from = null, to = null }: { from?: number | null; to?: number | null },
): HistoryGap {
  return { reason, msg, from_block: from, to_block: to, before_time: null }
}
