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
