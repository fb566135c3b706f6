/** What the feed keeps and does at most. */
export type FeedLimits = {
  /** Events that one reader gets before it is asked whether it has room for more. */
  replayPageMax: number
  /** Klines that one resumed subscription is given again. */
  replayKlinesMax: number
  /** Reads of the store for resuming readers at the same time; others wait. */
  historyReadsMax: number
  /** Readers that may wait for such a read; further ones get `unavailable`. */
  historyWaitsMax: number
  /** Time a reader waits for a block that its cursor names and this server does not have yet. */
  aheadWaitMsMax: number
  /** Swaps, liquidity changes or new pairs of a snapshot. */
  snapshotEventsMax: number
  /** Ranks of the trending topic. */
  trendingRanksMax: number
  /** Texts of pairs and tokens that are cached; all are made again when there are more. */
  factsMax: number
  /** Items of one subscribe or unsubscribe. */
  itemsMax: number
  /** Wallets of one subscribe. */
  walletsMax: number
  /** Holders of a token that are told by name. */
  topHoldersMax: number
  /** Tokens whose largest holders are read at the same time; the next second goes on with others. */
  topHoldersReadsMax: number
}

export const defaultFeedLimits: FeedLimits = {
  // Half a megabyte of swaps.
  replayPageMax: 500,
  replayKlinesMax: 2_000,
  // The store has ten connections for reads, and REST needs some.
  historyReadsMax: 4,
  historyWaitsMax: 10_000,
  // A server that was killed reads the few blocks it had not stored again within seconds.
  aheadWaitMsMax: 15_000,
  snapshotEventsMax: 100,
  trendingRanksMax: 50,
  // Half a kilobyte each.
  factsMax: 50_000,
  itemsMax: 10_000,
  walletsMax: 100,
  topHoldersMax: 20,
  topHoldersReadsMax: 20,
}

/** Seconds between heartbeats that a client may ask for. */
export const heartbeatRangeS = { min: 1, max: 3_600 } as const
