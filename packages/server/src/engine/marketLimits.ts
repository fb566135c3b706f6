/** Every limit of the engine. */
export type MarketLimits = {
  /**
   * Maximum number of distinct wallets in a window that are counted exactly. More are sampled, with
   * an error of 3 / sqrt of this limit at three sigma: 1.7 %. @default 32_768
   */
  makersExactMax: number
  /**
   * Klines that one block may close because their time is over; the rest follow in the next block.
   * @default 5_000
   */
  klineClosesPerBlockMax: number
  /** Expired window buckets that one block may free; reads skip the others. @default 20_000 */
  windowExpiriesPerBlockMax: number
  /** Ratio by which a pair must exceed the main pair to replace it. @default 1.1 */
  mainPairLeadRatio: number
  /** Seconds of block time for which a pair must lead to become the main pair. @default 20 */
  mainPairLeadS: number
  /** Blocks for which a pair must lead to become the main pair. @default 5 */
  mainPairLeadBlocksMin: number
  /**
   * Tokens whose main pair one block may judge again because rates moved; the rest follow in the
   * next block with pool events. @default 256
   */
  mainPairRateChecksMax: number
  /**
   * Progress in parts per million from which a launch curve counts as almost full. @default 800_000
   */
  almostPpm: number
  /**
   * Maximum number of a token's pairs that a read walks. For a token with more on one side the
   * depths of all are kept. Its main pair, its windows as a target, and its amounts in pairs
   * without a quote asset depend on this many of the oldest pairs. @default 1_024
   */
  tokenPairsReadMax: number
  /**
   * Number of pairs on one side of a token from which untrusted pairs are no longer listed there.
   * @default 64
   */
  untrustedPairsMax: number
  /**
   * USD value above which a token or pair counts as worthless: more than all money. @default 1e15
   */
  worthUsdMax: number
  /** Maximum number of tokens that the read `launched` returns. @default 10_000 */
  launchedReadMax: number
  /**
   * Number of newest launches in which a read searches those of one creator; takes some
   * milliseconds. @default 1_000_000
   */
  launchesScannedMax: number
  /** Matches of one kind that a search considers before it ranks them. @default 2_048 */
  searchCandidatesMax: number
  /**
   * Work units of a search for matches of one kind: looking at an id costs 1, comparing words 16.
   * @default 65_536
   */
  searchWorkMax: number
}

export const marketLimitDefaults: MarketLimits = {
  makersExactMax: 32_768,
  klineClosesPerBlockMax: 5_000,
  windowExpiriesPerBlockMax: 20_000,
  mainPairLeadRatio: 1.1,
  mainPairLeadS: 20,
  mainPairLeadBlocksMin: 5,
  mainPairRateChecksMax: 256,
  almostPpm: 800_000,
  tokenPairsReadMax: 1_024,
  untrustedPairsMax: 64,
  worthUsdMax: 1e15,
  launchedReadMax: 10_000,
  launchesScannedMax: 1_000_000,
  searchCandidatesMax: 2_048,
  searchWorkMax: 65_536,
}
