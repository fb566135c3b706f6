import type { EntryConsumer } from '../../model/logEntry.ts'
import type { Steps } from '../turns/steps.ts'
import type { Push, RpcId } from './push.ts'

/** The options object a client may put at the end of `params`; all off by default. */
export type FeedOptions = {
  since: string | null
  snapshot: boolean
  revisions: boolean
  heartbeatS: number | null
}

/** One thing that can be subscribed: the topic as subscribed and its item. */
export type FeedItem = {
  /** Identity on a socket, for example `tx:<pair>-<chain>` or `multi_kline:<pair>-<chain>:k5`. */
  key: string
  /** As the caller wrote it, for acknowledgements. */
  param: unknown
  /** No chain knows it yet. */
  isUnknown?: boolean
  /** The caller wrote it as the key has it: `paramOfKey` gives it again, so that nobody needs to hold it. */
  isCanonical?: boolean
}

/** A subscribe or unsubscribe taken apart. */
export type FeedRequest = {
  topic: string
  /** Each once. */
  items: readonly FeedItem[]
  rejected: readonly { param: unknown; reason: string }[]
  options: FeedOptions
  /** The request carries an options object, be it an empty one: its pushes are the detailed ones. */
  hasOptions?: boolean
}

/**
 * Who made a subscribe request, as the feed sees it: one for all its items, but for those with `since` or `snapshot`, which are
 * brought to where the market is one by one.
 */
export type Subscriber = {
  /** Id of the subscribe request that made it (or made it again); 0 if that had none. */
  readonly id: RpcId
  /** True when the request had options: then pushes are the detailed ones. */
  readonly isDetailed: boolean
  readonly options: FeedOptions
  /** One object per socket, so that a message about several items can be put together. */
  readonly socket: object
  send(push: Push): void
  /** Resolves when the reader has taken what was sent so far; a long replay waits for it between its parts. */
  room?(): Promise<void>
}

/** The live market as topics. Pure memory but for `since`, which may ask the store. */
export type Feed = EntryConsumer & {
  /** Throws a RequestError (`invalid_param`, `missing_param`, ...) when nothing in it is usable. */
  parse(params: readonly unknown[]): Steps<FeedRequest>
  /**
   * Starts a subscription. Called right after the acknowledgement was queued: what is due at once (first prices, a
   * snapshot, what was missed since a cursor) is sent from here, in order, before anything live.
   */
  add(item: Pick<FeedItem, 'key'>, subscriber: Subscriber): void
  remove(item: Pick<FeedItem, 'key'>, subscriber: Subscriber): void
  /** Sends heartbeats that are due; called once a second. */
  tick(nowMs: number): void
}
