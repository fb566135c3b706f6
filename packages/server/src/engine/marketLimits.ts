/** Every limit of the engine. */
export type MarketLimits = {
  /**
   * Distinct wallets of a window that are counted exactly. More are sampled, three sigma 3 / sqrt
   * of this: 1.7 %. @default 32_768
   */
  makersExactMax: number
  /**
   * Klines that one block may close because time passed; the rest follow in the next. @default
   * 5_000
   */
  klineClosesPerBlockMax: number
  /** Window buckets that one block may free; reads skip the others. @default 20_000 */
  windowExpiriesPerBlockMax: number
  /** Lead that a pair needs to become the main pair. @default 1.1 */
  mainPairLeadRatio: number
  /** Duration of that lead, in seconds of block time. @default 20 */
  mainPairLeadS: number
  /** Minimum duration of that lead in blocks. @default 5 */
  mainPairLeadBlocksMin: number
  /**
   * Tokens that one block may judge again because rates moved; the rest follow in the next block
   * with pool events. @default 256
   */
  mainPairRateChecksMax: number
  /** Progress from which a curve counts as almost full. @default 800_000 */
  almostPpm: number
  /**
   * Pairs of a token that a read walks. For a token with more on one side the depths of all are
   * kept; its main pair, its windows as a target, and its amounts in pairs without a quote asset
   * come from this many of the oldest. @default 1_024
   */
  tokenPairsReadMax: number
  /**
   * An untrusted pair is listed for a token only while fewer than this are on that side. @default
   * 64
   */
  untrustedPairsMax: number
  /**
   * A token or pair valued above this counts as worthless: such money does not exist. USD. @default
   * 1e15
   */
  worthUsdMax: number
  /** Tokens that `launched` returns. @default 10_000 */
  launchedReadMax: number
  /** Newest launches searched for those of one creator, some milliseconds. @default 1_000_000 */
  launchesScannedMax: number
  /** Matches of one kind that a search considers before it ranks them. @default 2_048 */
  searchCandidatesMax: number
  /**
   * Ids that a search considers for matches of one kind; comparing words counts as 16. @default
   * 65_536
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
