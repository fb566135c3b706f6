import { join } from 'node:path'
import { configSecretsOf } from '../../config/printConfig.ts'
import { marketMemoryOf } from '../../config/schema/limitsSchema.ts'
import type { Config } from '../../config/schema/schema.ts'
import { chainKindOf } from '../../kinds/chainKinds.ts'
import type { ChainSetup, PipelineLimits } from '../../kinds/chainSetup.ts'

/** Returns the setup of each configured chain. */
export function configuredSetups(config: Config): ChainSetup[] {
  const limits = pipelineLimitsOf(config)
  const secrets = configSecretsOf(config)
  return Object.entries(config.chains).map(([name, chain]) => ({
    ...limitMarketMemory(chainKindOf(chain).setupOf(name, chain, limits), config),
    secrets,
  }))
}

/** Directory of page files, which hold what exceeds the market memory. */
export function pagesDirectoryOf({ data_dir }: Pick<Config, 'data_dir'>): string {
  return join(data_dir, 'pages')
}

/** Share of the market memory for served markets. Engines that write snapshots get half as much. */
const servedShare = 2 / 3

/** Adds the market's memory limit and its directory for page files. */
export function limitMarketMemory<setup extends Pick<ChainSetup, 'profile'>>(
  setup: setup,
  config: Config,
): setup {
  const bytesMax = Math.floor(marketMemoryOf(config) * servedShare)
  const paging = { directory: pagesDirectoryOf(config), bytesMax }
  return { ...setup, profile: { ...setup.profile, paging } }
}

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
