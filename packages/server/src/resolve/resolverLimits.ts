import type { CreationsOptions } from './questions/creations.ts'
import type { HistoryLimits } from './questions/historyJobs.ts'
import type { SharesOptions } from './questions/shares.ts'

export type ResolverLimits = HistoryLimits &
  CreationsOptions['limits'] &
  SharesOptions['limits'] & {
    /**
     * How long a live block waits for metadata, native balances, first states and short transfer
     * scans.
     */
    budgetMs: number
    /** Pairs in memory, not counting those that are not stored yet. */
    pairsMax: number
    tokensMax: number
    /**
     * Addresses remembered as not being pairs, and as many remembered as not being known tokens.
     */
    strangersMax: number
    /** How long a contract that does not answer like a pool is ignored before it is asked again. */
    notPoolMs: number
    /** Upper bound of that time, which doubles with each unchanged answer. */
    notPoolMsMax: number
    /** Number of contracts remembered as not being pools. */
    notPoolsMax: number
    /** Ignored contracts asked again per request, and the least time between two such requests. */
    reviewsMax: number
    reviewEveryMs: number
    /** Size of the Bloom filter that tells which wallets may be concentrated pools. */
    poolFilterBytes: number
    /** Number of prefetched answers kept for blocks that are not resolved yet. */
    prefetchedMax: number
    /**
     * Transfer scans up to this length are prefetched; longer ones start when their block is
     * resolved.
     */
    prefetchedHistoryLogsMax: number
    /** Tokens with unanswered metadata that are asked again with each block. */
    lateTokensMax: number
    /** Pools with unknown state that are asked again with each live block. */
    firstStatesMax: number
    /**
     * While catching up: most blocks without a pool state request after nodes had no state that
     * old.
     */
    firstStateGapBlocksMax: number
  }

// A record takes about 500 bytes, a remembered address about 100.
export const resolverLimitsDefault: ResolverLimits = {
  budgetMs: 300,
  pairsMax: 100_000,
  tokensMax: 100_000,
  strangersMax: 200_000,
  notPoolMs: 600_000,
  notPoolMsMax: 86_400_000,
  notPoolsMax: 100_000,
  reviewsMax: 50,
  reviewEveryMs: 1_000,
  // With a million pools, one wallet in 6,000 is looked up needlessly. With five million, one in
  // 25.
  poolFilterBytes: 4_194_304,
  prefetchedMax: 10_000,
  prefetchedHistoryLogsMax: 10_000,
  lateTokensMax: 50,
  firstStatesMax: 50,
  // The error for missing old state takes about half a second: at this gap, one minute per million
  // blocks.
  firstStateGapBlocksMax: 10_000,
  creationSearchesMax: 10_000,
  creationRetryMs: 60_000,
  creationAttemptsMax: 3,
  shareReadsMax: 50,
  shareQueueMax: 100_000,
  historyJobsMax: 4,
  historyQueueMax: 10_000,
  historyLogsMax: 2_000_000,
  historyWalletsMax: 250_000,
  historyInlineLogsMax: 50_000,
  historyWaitMs: 300,
  historyGapBlocksMax: 10_000,
  historyAttemptsMax: 8,
  historyRetryMs: 3_600_000,
}
