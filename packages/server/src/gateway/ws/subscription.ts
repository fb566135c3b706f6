import type { FeedItem, FeedOptions, FeedRequest, Subscriber } from '../feed/feed.ts'
import type { Push } from '../feed/push.ts'
import type { Outbox } from './outbox.ts'

/** One item a socket follows. */
export class Subscription implements Subscriber {
  readonly id: number
  readonly isDetailed: boolean
  readonly options: FeedOptions
  readonly socket: Outbox
  readonly item: FeedItem
  /** The feed knows of it: from then on it must be removed there too. */
  isStarted = false

  constructor(item: FeedItem, id: number, request: FeedRequest, outbox: Outbox) {
    this.item = item
    this.id = id
    this.options = request.options
    this.isDetailed = request.hasOptions ?? false
    this.socket = outbox
  }

  send(push: Push): void {
    this.socket.push(this, push)
  }

  room(): Promise<void> {
    return this.socket.room()
  }
}
