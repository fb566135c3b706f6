import type { Config } from '../../config/schema.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { PlausibilityLimits } from '../../resolve/plausibility.ts'

/** What a chain of any kind is opened with; plain data, so that it can cross to a thread. */
export type PipelineSetup = {
  profile: ChainProfile
  /** What its history is stored under; differs from its name for a chain that can start again. */
  storeName: string
  startBlock: number | 'latest'
  finality: { type: 'tag' } | { type: 'depth'; blocks: number }
  limits: PipelineLimits
  /** What is looked at twice. @default plausibilityLimitsDefault */
  plausibility?: PlausibilityLimits | undefined
}

export type PipelineLimits = {
  resolveMsMax: number
  notPoolMs: number
  notPoolMsMax: number
  notPoolsMax: number
  creationSearchesMax: number
  rpcMsMax: number
  rpcBatchRequestsMax: number
  logRangeBlocksMax: number
  backfillRangesMax: number
  /** Entries handed over and not yet applied. */
  entriesAheadMax: number
}

// Enough to keep both threads busy; a block of a busy chain is some 100 kB.
const entriesAheadMax = 256

/** Never more than the queue holds: what is under way must find room there. */
export function entriesAheadMaxOf({ queueBlocksMax }: { queueBlocksMax: number }): number {
  return Math.min(entriesAheadMax, queueBlocksMax)
}

export function limitsOf({ limits }: Config): PipelineLimits {
  return {
    resolveMsMax: limits.resolve_ms_max,
    notPoolMs: limits.not_pool_ms,
    notPoolMsMax: limits.not_pool_ms_max,
    notPoolsMax: limits.not_pools_max,
    creationSearchesMax: limits.creation_searches_max,
    rpcMsMax: limits.rpc_ms_max,
    rpcBatchRequestsMax: limits.rpc_batch_requests_max,
    logRangeBlocksMax: limits.log_range_blocks_max,
    backfillRangesMax: limits.backfill_ranges_max,
    entriesAheadMax: entriesAheadMaxOf({ queueBlocksMax: limits.queue_blocks_max }),
  }
}
