import type { CreationsOptions } from './questions/creations.ts'
import type { HistoryLimits } from './questions/historyJobs.ts'
import type { SharesOptions } from './questions/shares.ts'

export type ResolverLimits = HistoryLimits &
  CreationsOptions['limits'] &
  SharesOptions['limits'] & {
    /** How long a live block waits for metadata, native balances, first states and short histories. */
    budgetMs: number
    /** Pairs in memory, apart from those the store does not have yet. */
    pairsMax: number
    tokensMax: number
    /** Addresses remembered as not followed; of tokens and pools each. */
    strangersMax: number
    /** How long a contract that does not answer like a pool is left alone before it is asked again. */
    notPoolMs: number
    /** The same after it was asked again and again. */
    notPoolMsMax: number
    /** Contracts remembered as not pools. */
    notPoolsMax: number
    /** Of these asked again at a time, and the time between two questions. */
    reviewsMax: number
    reviewEveryMs: number
    /** Memory for telling which wallets may be concentrated pools. */
    poolFilterBytes: number
    /** Answers read before their block is resolved. */
    prefetchedMax: number
    /** Transfers of a token's history that are read before its block is resolved; a longer one is read in its turn. */
    prefetchedHistoryLogsMax: number
    /** Unanswered tokens asked again with one block. */
    lateTokensMax: number
    /** Pools whose state is not known, asked again with one block at the head. */
    firstStatesMax: number
    /** While catching up: most blocks for which no node is asked for the state of a pool after it had none. */
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
  // A million pools: one wallet in 6,000 is looked up for nothing. Five million: one in 25.
  poolFilterBytes: 4_194_304,
  prefetchedMax: 10_000,
  prefetchedHistoryLogsMax: 10_000,
  lateTokensMax: 50,
  firstStatesMax: 50,
  // To be told that there is no old state takes about half a second: in a million blocks a minute is spent on it.
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
