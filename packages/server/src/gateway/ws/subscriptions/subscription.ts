import type { FeedOptions, FeedRequest, Subscriber } from '../../feed/feed.ts'
import { needsReplay } from '../../feed/params/feedOptions.ts'
import type { Push, RpcId } from '../../feed/push.ts'
import type { Outbox } from '../sending/outbox.ts'

/**
 * Subscriptions of a socket that are dropped together. Once `isDropped`, they get no pushes, even
 * while the feed still lists them.
 */
export type SubscriptionGroup = { isDropped: boolean }

type SubscriptionParts = { outbox: Outbox; group: SubscriptionGroup; serial: number }

/**
 * Subscription made by one subscribe request. All its items share this object and are only entries
 * of tables: the garbage collector would move a million long-lived objects and block the event
 * loop.
 */
export class Subscription implements Subscriber {
  readonly id: RpcId
  readonly isDetailed: boolean
  readonly options: FeedOptions
  readonly socket: Outbox
  /** Number of the subscription within its socket. */
  readonly serial: number
  /**
   * Keys of items that are not in the feed yet. Items that are in the feed must be removed there
   * too.
   */
  readonly pendingKeys = new Set<string>()
  /** Subscriptions that are dropped together with this subscription. */
  readonly group: SubscriptionGroup

  constructor(id: RpcId, request: FeedRequest, { outbox, group, serial }: SubscriptionParts) {
    this.group = group
    this.id = id
    this.options = request.options
    this.isDetailed = request.hasOptions ?? false
    this.socket = outbox
    this.serial = serial
  }

  /**
   * True if all items of the request share this subscription. With `since` or `snapshot`, each item
   * has its own.
   */
  get isShared(): boolean {
    return !needsReplay(this.options)
  }

  send(push: Push): void {
    if (!this.group.isDropped) this.socket.send(this, push)
  }

  drained(): Promise<void> {
    return this.socket.room()
  }
}
