/** Limits on the memory and work of the feed. */
export type FeedLimits = {
  /** Events replayed to a client per page; the next page waits until the client has room for it. */
  replayPageMax: number
  /** Maximum number of klines replayed to one resumed subscription. */
  replayKlinesMax: number
  /** Concurrent store reads for resuming subscriptions; further reads wait. */
  historyReadsMax: number
  /** Resuming subscriptions that may wait for a store read; further ones get `unavailable`. */
  historyWaitsMax: number
  /**
   * How long a resuming subscription waits for its cursor's block if this server lacks the block.
   */
  aheadWaitMsMax: number
  /** Maximum number of swaps, liquidity changes or new pairs in a snapshot. */
  snapshotEventsMax: number
  /** Maximum number of ranks in a push of the `trending` topic. */
  trendingRanksMax: number
  /** Pairs and tokens whose JSON texts are cached; a full cache is cleared and built again. */
  factsMax: number
  /** Maximum number of items in one subscribe or unsubscribe request. */
  itemsMax: number
  /** Maximum number of wallets in one subscribe request. */
  walletsMax: number
  /** Maximum number of a token's largest holders that a `holders` push lists. */
  topHoldersMax: number
  /**
   * Tokens whose largest holders are read per second; the next second continues with other tokens.
   */
  topHoldersReadsMax: number
}

export const defaultFeedLimits: FeedLimits = {
  // A replay page of 500 swaps is about half a megabyte.
  replayPageMax: 500,
  replayKlinesMax: 2_000,
  // The store has ten connections for reads, and REST needs some of them.
  historyReadsMax: 4,
  historyWaitsMax: 10_000,
  // A server that crashed re-reads the few blocks it had not stored within seconds of its restart.
  aheadWaitMsMax: 15_000,
  snapshotEventsMax: 100,
  trendingRanksMax: 50,
  // The cached texts of a pair or token take about half a kilobyte.
  factsMax: 50_000,
  itemsMax: 10_000,
  walletsMax: 100,
  topHoldersMax: 20,
  topHoldersReadsMax: 20,
}

/** Range of the `heartbeat` option: seconds between two heartbeats. */
export const heartbeatRangeS = { min: 1, max: 3_600 } as const
