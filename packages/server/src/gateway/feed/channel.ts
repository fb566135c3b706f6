import type { Subscriber } from './feed.ts'
import type { Push } from './push.ts'

/** Who listens to one thing. A member may leave while a push is under way. */
export class Channel {
  /** Each with the `seq` of the newest block it had been given, or was not there for, when it joined. */
  private readonly members = new Map<Subscriber, number>()
  private revisionCount = 0

  get size(): number {
    return this.members.size
  }

  get hasRevisions(): boolean {
    return this.revisionCount > 0
  }

  get hasPlain(): boolean {
    return this.revisionCount < this.members.size
  }

  add(subscriber: Subscriber, joinedSeq: number): void {
    if (!this.members.has(subscriber) && subscriber.options.revisions) this.revisionCount += 1
    this.members.set(subscriber, joinedSeq)
  }

  delete(subscriber: Subscriber): void {
    if (this.members.delete(subscriber) && subscriber.options.revisions) this.revisionCount -= 1
  }

  send(push: Push): void {
    for (const subscriber of this.members.keys()) subscriber.send(push)
  }

  /** Only to those who asked for revisions. */
  sendRevision(push: Push): void {
    if (!this.hasRevisions) return
    for (const subscriber of this.members.keys())
      if (subscriber.options.revisions) subscriber.send(push)
  }

  sendPlain(push: Push): void {
    for (const subscriber of this.members.keys())
      if (!subscriber.options.revisions) subscriber.send(push)
  }

  /** To those who do not have it from a block that was taken back, or were told that it was. */
  sendAgain(push: Push, firstSeq: number): void {
    for (const [subscriber, joinedSeq] of this.members)
      if (subscriber.options.revisions || joinedSeq >= firstSeq) subscriber.send(push)
  }
}
