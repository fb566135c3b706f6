/** Every limit of the engine. */
export type MarketLimits = {
  /**
   * Distinct wallets of a window counted exactly. More are sampled, three sigma 3 / sqrt of this: 1.7 %.
   * @default 32_768
   */
  makersExactMax: number
  /** Klines that one block may close because time passed; the rest follow in the next. @default 5_000 */
  klineClosesPerBlockMax: number
  /** Window buckets that one block may free; reads skip the others. @default 20_000 */
  windowExpiriesPerBlockMax: number
  /** How far ahead a pair must be to become the main pair. @default 1.1 */
  mainPairLeadRatio: number
  /** For how long, in seconds of block time. @default 20 */
  mainPairLeadS: number
  /** And for at least so many blocks. @default 5 */
  mainPairLeadBlocksMin: number
  /**
   * Tokens that one block may judge again because rates moved; the rest follow in the next with pool
   * events. @default 256
   */
  mainPairRateChecksMax: number
  /** From here on a curve is almost full. @default 800_000 */
  almostPpm: number
  /**
   * Pairs of a token that are read one after another. Of a token with more on one side the depths of all are kept; its
   * main pair and its windows as a target are those of the oldest so many, and so is what it holds in pairs with tokens
   * that are no quote assets. @default 1_024
   */
  tokenPairsReadMax: number
  /** An untrusted pair is listed among those of a token while it has fewer than this on that side. @default 64 */
  untrustedPairsMax: number
  /** A token or pair that is worth more is worth nothing: nobody has so much money. USD. @default 1e15 */
  worthUsdMax: number
  /** Tokens that `launched` returns. @default 10_000 */
  launchedReadMax: number
  /** Newest launches that are looked through for those of one creator, some milliseconds. @default 1_000_000 */
  launchesScannedMax: number
  /** Matches of one kind that a search looks at before it ranks them. @default 2_048 */
  searchCandidatesMax: number
  /** Ids that a search for matches of one kind looks at; one whose words are compared counts as 16. @default 65_536 */
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
