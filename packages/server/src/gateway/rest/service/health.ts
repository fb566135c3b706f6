import type { ChainHealth, HistoryGap, HistoryGapReason, ReadyBody } from '@chaintape/protocol'
import {
  blockNumberDistance,
  highestNumberBefore,
  isNearHead,
  lowestNumberAfter,
} from '../../../model/block.ts'
import {
  type AuditStatus,
  type BackfillState,
  type BackfillStatus,
  type ChainStatus,
  type Clock,
  type GatewayChain,
  type GatewayChains,
  notReadyReason,
  requireChain,
} from '../../chain/gatewayChain.ts'

type ReadyOptions = {
  clock: Clock
  headAgeSMax: number
  /** Reports only this chain; undefined for all chains. */
  only?: string | undefined
}

/**
 * GET /health/ready. Without `only`: ready once every chain was ready, later problems are warnings.
 * With `only`: the chain's current state.
 */
export function readyBody(
  chains: GatewayChains,
  { clock, headAgeSMax, only }: ReadyOptions,
): ReadyBody {
  const asked = only === undefined ? [...chains] : [[only, requireChain(chains, only)] as const]
  const healths = asked.map(([name, chain]): [string, ChainHealth] => [
    name,
    chainHealth(chain, clock),
  ])
  const isRight = (name: string, { ready, head_block }: ChainHealth) =>
    ready || (only === undefined && head_block !== null && chains.get(name)!.status().wasReady)
  const reasons = healths.flatMap(([name, health]) =>
    isRight(name, health) ? [] : `${name}: ${health.reason}`,
  )
  if (healths.length === 0) reasons.push('No chain is running yet.')
  return {
    ready: reasons.length === 0,
    reasons,
    warnings: healths.flatMap(([name, health]) => [
      ...warningsOf(name, health, headAgeSMax),
      ...statusWarningsOf(name, chains.get(name)!),
    ]),
    chains: Object.fromEntries(healths),
  }
}

export function chainHealth(chain: GatewayChain, clock: Clock): ChainHealth {
  const { reads, status } = chain
  const head = reads.head()
  const now = status()
  const nowS = Math.floor(clock.nowMs() / 1_000)
  const missing = historyGapsOf({
    ...now,
    chain: chain.profile.name,
    headNumber: head?.number ?? null,
    headTimeS: head?.timeS ?? null,
  })
  return {
    ready: head !== null && now.lagReason === null,
    reason: notReadyReason(chain) ?? now.lagReason,
    state: now.state,
    demo: chain.profile.isDemo === true,
    head_block: head?.number ?? null,
    head_time: head?.timeS ?? null,
    head_age_s: head === null ? null : nowS - head.timeS,
    finalized_block: head === null ? null : reads.finalizedNumber(),
    tip_block: now.tipNumber,
    lag_blocks:
      head === null || now.tipNumber === null
        ? null
        : Math.max(0, blockNumberDistance(head.number, now.tipNumber)),
    lag_s: head === null || now.tipTimeS === null ? null : Math.max(0, now.tipTimeS - head.timeS),
    persisted_block: now.persistedNumber,
    queue_blocks: now.queueBlocks,
    queue_blocks_max: now.queueBlocksMax,
    paused_reason: now.pausedReason,
    database_error: now.databaseError,
    rpc_error: now.rpcError,
    failed_check: now.failedCheck ?? null,
    unresolved_pools: now.unresolvedPools + (now.missedPools?.count ?? 0),
    start_block: now.startBlock,
    first_block: now.history.firstNumber,
    history_complete: missing.length === 0,
    history_missing: missing,
    history_reading: readingOf(now.past?.progress ?? null),
    audit: auditOf(now.audit ?? null),
    doubtful_blocks: now.doubtful?.count ?? 0,
    newest_doubtful_block: now.doubtful?.newestNumber ?? null,
  }
}

function readingOf(reading: BackfillState | null): ChainHealth['history_reading'] {
  if (reading === null) return null
  return {
    reason: reading.reason,
    from_block: reading.fromNumber,
    next_block: reading.nextNumber,
    to_block: reading.toNumber,
    blocks_per_s: Math.round(reading.blocksPerS),
    seconds_left: backfillSecondsLeft(reading),
    paused_reason: reading.pausedReason,
  }
}

function auditOf(audit: AuditStatus | null): ChainHealth['audit'] {
  if (audit === null) return null
  return {
    checked_blocks: audit.checkedBlocks,
    checked_balances: audit.checkedBalances,
    checked_at: audit.checkedAtS,
    from_block: audit.fromNumber,
    to_block: audit.toNumber,
    differences: audit.differences,
    last_difference: audit.lastDifference,
    paused_reason: audit.pausedReason,
  }
}

function warningsOf(name: string, health: ChainHealth, headAgeSMax: number): string[] {
  const warnings: string[] = []
  if (health.state === 'lagging') warnings.push(`${name}: lagging: ${health.reason}`)
  if (health.database_error !== null)
    warnings.push(`${name}: the database does not answer: ${health.database_error}`)
  if (health.failed_check !== null) warnings.push(`${name}: ${health.failed_check}`)
  if (health.rpc_error !== null) warnings.push(`${name}: no node answers: ${health.rpc_error}`)
  if (health.paused_reason !== null)
    warnings.push(`${name}: ingestion is paused: ${health.paused_reason}`)
  if (health.queue_blocks * 2 > health.queue_blocks_max)
    warnings.push(
      `${name}: ${health.queue_blocks} of ${health.queue_blocks_max} blocks wait for the database`,
    )
  if (health.doubtful_blocks > 0)
    warnings.push(
      `${name}: ${health.doubtful_blocks} blocks are unverified, the newest is ${health.newest_doubtful_block}`,
    )
  if (health.audit !== null && health.audit.differences > 0)
    warnings.push(
      `${name}: ${health.audit.differences} stored values differ from the chain, see chaintape audit --repair; the last: ${health.audit.last_difference}`,
    )
  if (health.head_age_s !== null && health.head_age_s > headAgeSMax)
    warnings.push(`${name}: the newest block is ${health.head_age_s} s old`)
  return warnings
}

function statusWarningsOf(name: string, { status }: GatewayChain): string[] {
  const { nodes, retentionError, headWarnings = [] } = status()
  const warnings = headWarnings.map((warning) => `${name}: ${warning}`)
  for (const [place, { isHealthy, lastError }] of (nodes?.endpoints ?? []).entries()) {
    const fault = lastError?.summary ?? `endpoint ${place}: no answer`
    if (!isHealthy) warnings.push(`${name}: an endpoint is used last: ${fault}`)
  }
  if (retentionError !== null)
    warnings.push(`${name}: expired history is not deleted: ${retentionError}`)
  return warnings
}

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
    return gapOf('start', 'No node has reported yet in which block the history must begin.', {})
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
  const msg = `Swaps before ${time} were deleted (retention.swaps_days).`
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
