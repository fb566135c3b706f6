import { type RequestRate, TokenBucket } from '../usage/tokenBucket.ts'
import type { RateReport } from './peerNotice.ts'

/** How many processes share the rate of a key. */
export type RateSharers = {
  /** This one among them. */
  count(): number
  /** Is this process told what the others do? */
  isTold(): boolean
  /** Time between two reports. */
  everyMs: number
}

/** Nobody else. */
export const noSharers: RateSharers = { count: () => 1, isTold: () => true, everyMs: 0 }

// Between two reports nobody knows what the others admit. Each admits at most its share of a whole bucket by what was wanted of whom, or
// twice an even share: all together two or three buckets, which are paid back when they are told. In a minute of 60 that is within 10 %.
const evenShares = 2

/**
 * The requests of one account, at this process and, as far as it was told, at the others: they draw from one bucket, and what the others took
 * is told with a delay. What was taken beyond it meanwhile is paid back by all.
 */
export class AccountRate {
  readonly #id: number
  readonly #sharers: RateSharers
  readonly #bucket = new TokenBucket()
  /** Since the last report. */
  #taken = 0
  #takenMs = 0
  #wanted = 0
  /** In the last report of each. */
  #wantedBefore = 0
  readonly #wantedOfOthers = new Map<string, number>()

  constructor(id: number, sharers: RateSharers = noSharers) {
    this.#id = id
    this.#sharers = sharers
  }

  /** Zero when a request may be taken now, else the time to wait for it. Either way one was wanted. */
  waitMs(rate: RequestRate, nowMs: number): number {
    this.#wanted += 1
    const waitMs = this.#bucket.waitMs(rate, nowMs)
    if (waitMs > 0 || this.#taken < this.#allowance(rate)) return waitMs
    return this.#sharers.everyMs
  }

  /** Only after `waitMs` gave zero. */
  take(rate: RequestRate, nowMs: number): void {
    this.#bucket.take(rate, nowMs)
    this.#taken += 1
    this.#takenMs += rate.intervalMs
    // Who does not hear of the others takes for all of them.
    if (!this.#sharers.isTold())
      this.#bucket.charge((this.#sharers.count() - 1) * rate.intervalMs, nowMs)
  }

  left(rate: RequestRate, nowMs: number): number {
    const allowed = Math.max(0, this.#allowance(rate) - this.#taken)
    return Math.min(this.#bucket.left(rate, nowMs), Math.ceil(allowed))
  }

  fullInMs(rate: RequestRate, nowMs: number): number {
    return this.#bucket.fullInMs(rate, nowMs)
  }

  /** What was done since the last one; null: nothing, then and now. */
  report(): RateReport | null {
    if (this.#wanted === 0 && this.#wantedBefore === 0) return null
    const report = [this.#id, Math.ceil(this.#takenMs), this.#wanted] as const
    this.#wantedBefore = this.#wanted
    this.#taken = 0
    this.#takenMs = 0
    this.#wanted = 0
    return report
  }

  heard(peer: string, [, takenMs, wanted]: RateReport, nowMs: number): void {
    this.#bucket.charge(takenMs, nowMs)
    if (wanted === 0) this.#wantedOfOthers.delete(peer)
    else this.#wantedOfOthers.set(peer, wanted)
  }

  forget(peer: string): void {
    this.#wantedOfOthers.delete(peer)
  }

  /** Nothing is lost with it. */
  isIdle(nowMs: number): boolean {
    if (this.#wanted > 0 || this.#wantedBefore > 0 || this.#wantedOfOthers.size > 0) return false
    return this.#bucket.isSettled(nowMs)
  }

  /** Requests that may be taken until the next report. */
  #allowance({ burst }: RequestRate): number {
    const count = this.#sharers.count()
    if (count === 1 || !this.#sharers.isTold()) return Number.POSITIVE_INFINITY
    let wanted = this.#wantedBefore
    for (const others of this.#wantedOfOthers.values()) wanted += others
    const share = wanted === 0 ? 0 : this.#wantedBefore / wanted
    return Math.max(1, burst * Math.min(1, Math.max(evenShares / count, share)))
  }
}
