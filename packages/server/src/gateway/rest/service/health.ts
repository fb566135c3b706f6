import type { ChainHealth, ReadyBody } from '@chaintape/protocol'
import { blockNumberDistance } from '../../../model/block.ts'
import {
  type AuditStatus,
  type BackfillState,
  type Clock,
  type GatewayChain,
  type GatewayChains,
  notReadyReason,
  requireChain,
} from '../../chain/gatewayChain.ts'
import { backfillSecondsLeft, historyGapsOf } from './historyGaps.ts'

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
