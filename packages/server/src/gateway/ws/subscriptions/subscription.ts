import type { FeedItem, FeedOptions, FeedRequest, Subscriber } from '../../feed/feed.ts'
import type { Push, RpcId } from '../../feed/push.ts'
import type { Outbox } from '../sending/outbox.ts'

/** Once it is dropped, nothing is pushed to those in it, also while the feed still knows them. */
export type SubscriptionGroup = { isDropped: boolean }

/** One item a socket follows. */
export class Subscription implements Subscriber {
  readonly id: RpcId
  readonly isDetailed: boolean
  readonly options: FeedOptions
  readonly socket: Outbox
  readonly item: FeedItem
  /** The feed knows of it: from then on it must be removed there too. */
  isStarted = false
  /** Those that end together. */
  readonly group: SubscriptionGroup

  constructor(
    item: FeedItem,
    id: RpcId,
    request: FeedRequest,
    { outbox, group }: { outbox: Outbox; group: SubscriptionGroup },
  ) {
    this.group = group
    this.item = item
    this.id = id
    this.options = request.options
    this.isDetailed = request.hasOptions ?? false
    this.socket = outbox
  }

  send(push: Push): void {
    if (!this.group.isDropped) this.socket.push(this, push)
  }

  room(): Promise<void> {
    return this.socket.room()
  }
}
