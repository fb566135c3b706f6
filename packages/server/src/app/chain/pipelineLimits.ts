import type { Config } from '../../config/schema/schema.ts'
import type { PipelineLimits } from '../../kinds/chainSetup.ts'

// Entries on their way to the engine: enough to keep both threads busy. A block of a busy chain is
// about 100 kB.
const entriesAheadMax = 256

/**
 * Returns how many entries a chain's worker may post before the main thread acknowledges one. It is
 * at most the length of the writer's queue, which must have room for all of them.
 */
export function entriesAheadMaxOf({ queueBlocksMax }: { queueBlocksMax: number }): number {
  return Math.min(entriesAheadMax, queueBlocksMax)
}

export function pipelineLimitsOf({ limits, fixed }: Config): PipelineLimits {
  return {
    resolveMsMax: limits.resolve_ms_max,
    ignoreMs: fixed.not_pool_ms,
    creationSearchesMax: fixed.creation_searches_max,
    shareReadsMax: fixed.share_reads_max,
    doubtReviewMs: fixed.doubt_review_ms,
    rpcMsMax: limits.rpc_ms_max,
    rpcBatchRequestsMax: limits.rpc_batch_requests_max,
    logRangeBlocksMax: limits.log_range_blocks_max,
    backfillRangesMax: limits.backfill_ranges_max,
    entriesAheadMax: entriesAheadMaxOf({ queueBlocksMax: limits.queue_blocks_max }),
  }
}
