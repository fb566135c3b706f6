import type { Credits } from '../../../store/keys/usage.ts'
import { type CreditPeriod, creditPeriodAt } from '../plan.ts'
import { type RequestRate, TokenBucket } from './tokenBucket.ts'

/** The processes that serve the same API keys. */
export type PeerProcesses = {
  /** Returns the number of processes, including this process. */
  count(): number
  /** Returns whether the store currently reports the usage of other processes. */
  isUsageKnown(): boolean
}

const noPeers: PeerProcesses = { count: () => 1, isUsageKnown: () => true }

type AccountOptions = {
  storedCost: number
  nowMs: number
  /** Other processes that serve the same keys. @default none */
  peers?: PeerProcesses | undefined
}

// Share of a plan's credits by which all processes together may exceed the plan.
const overshootMax = 0.01

/**
 * What the keys of one account have used, as far as this process knows: stored usage of all
 * processes, plus usage of this process that is not written yet.
 */
export class Account {
  readonly id: number
  readonly #peers: PeerProcesses
  readonly #bucket = new TokenBucket()
  #period: CreditPeriod
  #storedCost: number
  /** Cost counted in this process and not written yet. Negative if written cost was refunded. */
  #unwrittenCost = 0
  /** Cost counted in this process that the last sum of all processes does not include. */
  #unreadCost = 0
  /** Requests that this process has written in the credit period. */
  #writtenRequests = 0
  /**
   * Requests of other processes in the period that the bucket was already charged for. Null: not
   * read recently.
   */
  #peerRequests: number | null = null
  /** Refill interval of the rate limit at the last request. */
  #intervalMs = 0

  constructor(id: number, { storedCost, nowMs, peers = noPeers }: AccountOptions) {
    this.id = id
    this.#peers = peers
    this.#period = creditPeriodAt(nowMs)
    this.#storedCost = storedCost
  }

  /** Returns 0 if a request may be taken now, else the milliseconds to wait. */
  waitMs(rate: RequestRate, nowMs: number): number {
    return this.#bucket.waitMs(rate, nowMs)
  }

  /** Takes a request. Call it only after `waitMs` returned 0. */
  take(rate: RequestRate, nowMs: number): void {
    this.#intervalMs = rate.intervalMs
    this.#bucket.take(rate, nowMs)
    if (this.#peers.isUsageKnown()) return
    // While the store does not answer, each other process is assumed to admit as many requests.
    // They are not charged again later.
    this.#bucket.charge((this.#peers.count() - 1) * rate.intervalMs, nowMs)
    this.#peerRequests = null
  }

  requestsLeft(rate: RequestRate, nowMs: number): number {
    return this.#bucket.tokensLeft(rate, nowMs)
  }

  fullInMs(rate: RequestRate, nowMs: number): number {
    return this.#bucket.fullInMs(rate, nowMs)
  }

  /** Returns whether the token bucket is full. */
  isBucketFull(nowMs: number): boolean {
    return this.#bucket.isFull(nowMs)
  }

  periodAt(nowMs: number): CreditPeriod {
    const { startMs, endMs } = this.#period
    if (nowMs >= endMs || nowMs < startMs) {
      this.#period = creditPeriodAt(nowMs)
      this.#storedCost = 0
      this.#unwrittenCost = 0
      this.#unreadCost = 0
      this.#writtenRequests = 0
      this.#peerRequests = 0
    }
    return this.#period
  }

  /** Returns the credit units used in the period that contains this time. */
  used(nowMs: number): number {
    this.periodAt(nowMs)
    return Math.max(0, this.#storedCost + this.#unwrittenCost)
  }

  /**
   * Returns whether a cost may be counted without reading what other processes have used since the
   * last sum. All processes together then exceed a plan by less than the sum of what each counts
   * between two reads.
   */
  canAdmitLocally(cost: number, creditsPerPeriod: number): boolean {
    const count = this.#peers.count()
    return count === 1 || this.#unreadCost + cost <= (overshootMax * creditsPerPeriod) / count
  }

  /** Counts a cost. A negative cost is a refund. */
  add(cost: number, periodNumber: number): void {
    if (periodNumber !== this.#period.number) return
    this.#unwrittenCost += cost
    this.#unreadCost += cost
  }

  /** Moves counts from unwritten to stored, once the store has them. */
  markWritten({ cost, requestCount }: Credits, periodNumber: number): void {
    if (periodNumber !== this.#period.number) return
    this.#unwrittenCost -= cost
    this.#storedCost += cost
    this.#writtenRequests += requestCount
  }

  /**
   * Sets the sums of all processes. They must be read after everything this process had sent was
   * written.
   */
  setSums({ cost, requestCount }: Credits, periodNumber: number, nowMs: number): void {
    if (periodNumber !== this.#period.number) return
    this.#storedCost = cost
    this.#unreadCost = this.#unwrittenCost
    const ofOthers = requestCount - this.#writtenRequests
    const taken = Math.max(0, ofOthers - (this.#peerRequests ?? ofOthers))
    this.#bucket.charge(taken * this.#intervalMs, nowMs)
    this.#peerRequests = ofOthers
  }

  /** Ignores requests of other processes until the next read, because the bucket is full. */
  ignorePeerRequests(): void {
    this.#peerRequests = null
  }
}
