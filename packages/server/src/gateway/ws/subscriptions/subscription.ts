import type { FeedOptions, FeedRequest, Subscriber } from '../../feed/feed.ts'
import { isReplayed } from '../../feed/params/feedOptions.ts'
import type { Push, RpcId } from '../../feed/push.ts'
import type { Outbox } from '../sending/outbox.ts'

/** Once it is dropped, nothing is pushed to those in it, also while the feed still knows them. */
export type SubscriptionGroup = { isDropped: boolean }

type SubscriptionParts = { outbox: Outbox; group: SubscriptionGroup; serial: number }

/**
 * What a socket follows by one request. Its items share it, so that each is but an entry of tables: a million objects that
 * stay would be moved by the collector while everybody waits.
 */
export class Subscription implements Subscriber {
  readonly id: RpcId
  readonly isDetailed: boolean
  readonly options: FeedOptions
  readonly socket: Outbox
  /** Of the socket's subscriptions. */
  readonly serial: number
  /** Keys of items that the feed does not know yet; the others must be removed there too. */
  readonly waiting = new Set<string>()
  /** Those that end together. */
  readonly group: SubscriptionGroup

  constructor(id: RpcId, request: FeedRequest, { outbox, group, serial }: SubscriptionParts) {
    this.group = group
    this.id = id
    this.options = request.options
    this.isDetailed = request.hasOptions ?? false
    this.socket = outbox
    this.serial = serial
  }

  /** Each item with `since` or `snapshot` has one of its own. */
  get isShared(): boolean {
    return !isReplayed(this.options)
  }

  send(push: Push): void {
    if (!this.group.isDropped) this.socket.push(this, push)
  }

  room(): Promise<void> {
    return this.socket.room()
  }
}
