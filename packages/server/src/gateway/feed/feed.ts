import type { EntryConsumer } from '../../model/logEntry.ts'
import type { Steps } from '../ground/steps.ts'
import type { Push, RpcId } from './push.ts'

/** Options object that a client may put last in `params`. All options are off by default. */
export type FeedOptions = {
  since: string | null
  snapshot: boolean
  revisions: boolean
  heartbeatS: number | null
}

/** One item that clients can subscribe to: a topic with its pair, token, wallet or chain. */
export type FeedItem = {
  /**
   * Key of the item on a socket, for example `tx:<pair>-<chain>` or
   * `multi_kline:<pair>-<chain>:k5`.
   */
  key: string
  /** The item as the client wrote it, repeated in acknowledgements. */
  param: unknown
  /** True: the item names a pair or token that the chain does not know yet. */
  isUnknown?: boolean
  /**
   * True: the client wrote the item in canonical form, so `paramOfKey` can rebuild `param` from the
   * key.
   */
  isCanonical?: boolean
}

/** A parsed subscribe or unsubscribe request. */
export type FeedRequest = {
  topic: string
  /** The items of the request without duplicates. */
  items: readonly FeedItem[]
  rejected: readonly { param: unknown; reason: string }[]
  options: FeedOptions
  /** True: the request has an options object, even an empty one. Its pushes are then detailed. */
  hasOptions?: boolean
}

/**
 * The sender of a subscribe request. All items of a request share one subscriber, except with
 * `since` or `snapshot`: then every item is replayed separately and has its own.
 */
export type Subscriber = {
  /** Id of the newest subscribe request for these items; 0 if the request had no id. */
  readonly id: RpcId
  /** True: the request had options, so its pushes also carry a cursor and block times. */
  readonly isDetailed: boolean
  readonly options: FeedOptions
  /** One object per socket. Pushes about several items of a socket are combined by it. */
  readonly socket: object
  send(push: Push): void
  /**
   * Resolves when the client has read what was sent so far. A long replay awaits it between pages.
   */
  drained?(): Promise<void>
}

/**
 * Live market data as topics. Works in memory, except that `since` and `snapshot` may read the
 * store.
 */
export type Feed = EntryConsumer & {
  /**
   * Parses request params. Throws a RequestError (`invalid_param`, `missing_param`, ...) if no item
   * is usable.
   */
  parse(params: readonly unknown[]): Steps<FeedRequest>
  /**
   * Starts a subscription. Call right after its acknowledgement was queued: first prices, a
   * snapshot or missed pushes are sent from here, in order, before any live push.
   */
  add(item: Pick<FeedItem, 'key'>, subscriber: Subscriber): void
  remove(item: Pick<FeedItem, 'key'>, subscriber: Subscriber): void
  /** Sends due heartbeats and other timed pushes. Call once a second. */
  tick(nowMs: number): void
}

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
