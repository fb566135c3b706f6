import type { Logger } from '../lib/logger.ts'
import type { ChainProfile } from '../model/chainProfile.ts'
import type { NativeUsdPrice } from '../model/finishedBlock.ts'
import type { IgnoredContract } from '../model/trust/ignoredContracts.ts'
import type { ChainReader } from './chainReader.ts'
import type { Clock } from './clock.ts'
import type { CreationSearchesOptions } from './questions/creationSearches.ts'
import type { PoolSharesOptions } from './questions/poolShares.ts'
import type { OpenQuestions } from './questions/questions.ts'
import type { TransferScanLimits } from './questions/transferScans.ts'
import type { RecordReader } from './records/recordCache.ts'

export type ResolverOptions = {
  profile: ChainProfile
  reader: ChainReader
  records: RecordReader
  /** First unused ids: one more than the highest in the store, or 0. */
  nextTokenId: number
  nextPairId: number
  /** Open questions of an earlier run. @default none */
  openQuestions?: Partial<OpenQuestions> | undefined
  /**
   * Contracts that an earlier run ignored because they did not answer like pools. They are asked
   * again.
   */
  ignoredContracts?: readonly IgnoredContract[] | undefined
  limits?: Partial<ResolverLimits> | undefined
  clock?: Clock | undefined
  logger: Logger
  /** When aborted, the current block stops waiting for answers and fails. @default never */
  signal?: AbortSignal | undefined
}

export type ResolveOptions = {
  receivedMs: number
  /** False while catching up: waits for all that can be read, and skips native balances. */
  isLive: boolean
  /** Number of the last final block. @default -1 */
  settledNumber?: number | undefined
  /** Native coin's price on another chain, stored as part of the block. @default null */
  nativeUsd?: NativeUsdPrice | null | undefined
}

export type ResolverLimits = TransferScanLimits &
  CreationSearchesOptions['limits'] &
  PoolSharesOptions['limits'] & {
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
    unknownAddressesMax: number
    /** How long a contract that does not answer like a pool is ignored before it is asked again. */
    ignoreMs: number
    /** Upper bound of that time, which doubles with each unchanged answer. */
    ignoreMsMax: number
    /** Number of contracts remembered as not being pools. */
    ignoredContractsMax: number
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
  unknownAddressesMax: 200_000,
  ignoreMs: 600_000,
  ignoreMsMax: 86_400_000,
  ignoredContractsMax: 100_000,
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
  transferScanQueueMax: 10_000,
  transferScanLogsMax: 2_000_000,
  transferScanWalletsMax: 250_000,
  awaitedScanLogsMax: 50_000,
  transferScanWaitMs: 300,
  transferScanBackoffBlocksMax: 10_000,
  transferScanAttemptsMax: 8,
  transferScanRetryMs: 3_600_000,
}
