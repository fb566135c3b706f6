import type { Repeat } from '../recent/recentBlock.ts'
import type { Subscriber } from './feed.ts'
import type { Push } from './push.ts'

/** Who listens to one thing. A member may leave while a push is under way. */
export class Channel {
  /** Each with the `seq` behind which it was sent all blocks that were canonical when it joined, and all that came since. */
  private readonly members = new Map<Subscriber, number>()
  /** Of those that were given blocks from before they joined: the `seq` at which that was. */
  private joinedAt: Map<Subscriber, number> | null = null
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

  /** `fromSeq`: behind it all blocks that stand were given already; `seq` is the one of now. */
  add(subscriber: Subscriber, fromSeq: number, seq: number): void {
    if (!this.members.has(subscriber) && subscriber.options.revisions) this.revisionCount += 1
    this.members.set(subscriber, fromSeq)
    this.joinedAt?.delete(subscriber)
    if (fromSeq >= seq || subscriber.options.revisions) return
    this.joinedAt ??= new Map()
    this.joinedAt.set(subscriber, seq)
  }

  delete(subscriber: Subscriber): void {
    this.joinedAt?.delete(subscriber)
    if (this.members.delete(subscriber) && subscriber.options.revisions) this.revisionCount -= 1
  }

  /** Lets go of those who asked for revisions. */
  takeRevisions(): Subscriber[] {
    const taken = [...this.members.keys()].filter(({ options }) => options.revisions)
    for (const subscriber of taken) this.delete(subscriber)
    return taken
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

  /** What comes again goes to those who do not have it from a block that was reverted, or were sent its retraction. */
  deliver(push: Push, repeat: Repeat | undefined): void {
    if (repeat === undefined) {
      this.send(push)
      return
    }
    const { seq, takenSeq } = repeat
    for (const [subscriber, fromSeq] of this.members) {
      const joinedAt = this.joinedAt?.get(subscriber) ?? fromSeq
      const isKnown = seq > fromSeq && takenSeq > joinedAt
      if (subscriber.options.revisions || !isKnown) subscriber.send(push)
    }
  }
}
