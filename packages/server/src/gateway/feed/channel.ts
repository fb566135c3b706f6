import type { RepeatedEvent } from '../chain/recentBlock.ts'
import type { Subscriber } from './feed.ts'
import type { Push } from './push.ts'

/** Subscribers that get the same pushes. A subscriber may leave while a push is being sent. */
export class PushChannel {
  /** Subscribers with their start `seq`: each was sent all canonical blocks after it. */
  readonly #members = new Map<Subscriber, number>()
  /**
   * The `seq` at which a subscriber joined, for subscribers that were sent older blocks by a
   * replay.
   */
  #joinedAt: Map<Subscriber, number> | null = null
  #revisionCount = 0

  get size(): number {
    return this.#members.size
  }

  get hasRevisions(): boolean {
    return this.#revisionCount > 0
  }

  get hasWithoutRevisions(): boolean {
    return this.#revisionCount < this.#members.size
  }

  /**
   * Adds a subscriber that was already sent all canonical blocks after `fromSeq`. `seq` is the
   * current one.
   */
  add(subscriber: Subscriber, fromSeq: number, seq: number): void {
    if (!this.#members.has(subscriber) && subscriber.options.revisions) this.#revisionCount += 1
    this.#members.set(subscriber, fromSeq)
    this.#joinedAt?.delete(subscriber)
    if (fromSeq >= seq || subscriber.options.revisions) return
    this.#joinedAt ??= new Map()
    this.#joinedAt.set(subscriber, seq)
  }

  delete(subscriber: Subscriber): void {
    this.#joinedAt?.delete(subscriber)
    if (this.#members.delete(subscriber) && subscriber.options.revisions) this.#revisionCount -= 1
  }

  /** Removes and returns the subscribers that opted into revisions. */
  removeWithRevisions(): Subscriber[] {
    const taken = [...this.#members.keys()].filter(({ options }) => options.revisions)
    for (const subscriber of taken) this.delete(subscriber)
    return taken
  }

  send(push: Push): void {
    for (const subscriber of this.#members.keys()) subscriber.send(push)
  }

  /** Sends a push only to subscribers that opted into revisions. */
  sendWithRevisions(push: Push): void {
    if (!this.hasRevisions) return
    for (const subscriber of this.#members.keys())
      if (subscriber.options.revisions) subscriber.send(push)
  }

  sendWithoutRevisions(push: Push): void {
    for (const subscriber of this.#members.keys())
      if (!subscriber.options.revisions) subscriber.send(push)
  }

  /**
   * Sends an event. If the event repeats one of a reverted block, subscribers that still have the
   * first push are skipped.
   */
  sendEvent(push: Push, repeat: RepeatedEvent | undefined): void {
    if (repeat === undefined) {
      this.send(push)
      return
    }
    const { seq, revertedSeq } = repeat
    for (const [subscriber, fromSeq] of this.#members) {
      const joinedAt = this.#joinedAt?.get(subscriber) ?? fromSeq
      const isKnown = seq > fromSeq && revertedSeq > joinedAt
      if (subscriber.options.revisions || !isKnown) subscriber.send(push)
    }
  }
}
