import type { Credits } from '../../../store/keys/usage.ts'
import { type CreditPeriod, creditPeriodAt } from './creditPeriod.ts'
import { type RequestRate, TokenBucket } from './tokenBucket.ts'

/** The processes that serve the same keys. */
export type KeyPeers = {
  /** This one among them. */
  count(): number
  /** Does the store report what the others count? */
  isKnown(): boolean
}

const noPeers: KeyPeers = { count: () => 1, isKnown: () => true }

type AccountOptions = {
  storedCost: number
  nowMs: number
  /** @default none */
  peers?: KeyPeers | undefined
}

// A plan may be passed by so much of its credits, by all processes together.
const overshoot = 0.01

/**
 * What the keys of one account have used, as far as this process knows: what is stored, by all processes, and what
 * it has not written yet.
 */
export class Account {
  readonly id: number
  readonly #peers: KeyPeers
  readonly #bucket = new TokenBucket()
  #period: CreditPeriod
  #storedCost: number
  /** Below zero when what was written is given back. */
  #unwrittenCost = 0
  /** Counted here since the sum of all was last read, or on its way to it then. */
  #unreadCost = 0
  /** Requests that this process wrote in the period. */
  #writtenRequests = 0
  /** Requests of the other processes in the period, already charged. Null: not read lately. */
  #requestsOfOthers: number | null = null
  /** Interval of the rate at the last request. */
  #intervalMs = 0

  constructor(id: number, { storedCost, nowMs, peers = noPeers }: AccountOptions) {
    this.id = id
    this.#peers = peers
    this.#period = creditPeriodAt(nowMs)
    this.#storedCost = storedCost
  }

  /** Zero when a request may be taken now, else the time to wait for it. */
  waitMs(rate: RequestRate, nowMs: number): number {
    return this.#bucket.waitMs(rate, nowMs)
  }

  /** Only after `waitMs` gave zero. */
  take(rate: RequestRate, nowMs: number): void {
    this.#intervalMs = rate.intervalMs
    this.#bucket.take(rate, nowMs)
    if (this.#peers.isKnown()) return
    // The others are assumed to admit as many. What they did is not charged again later.
    this.#bucket.charge((this.#peers.count() - 1) * rate.intervalMs, nowMs)
    this.#requestsOfOthers = null
  }

  requestsLeft(rate: RequestRate, nowMs: number): number {
    return this.#bucket.left(rate, nowMs)
  }

  fullInMs(rate: RequestRate, nowMs: number): number {
    return this.#bucket.fullInMs(rate, nowMs)
  }

  /** Is the bucket full? */
  isFull(nowMs: number): boolean {
    return this.#bucket.isSettled(nowMs)
  }

  periodAt(nowMs: number): CreditPeriod {
    const { startMs, endMs } = this.#period
    if (nowMs >= endMs || nowMs < startMs) {
      this.#period = creditPeriodAt(nowMs)
      this.#storedCost = 0
      this.#unwrittenCost = 0
      this.#unreadCost = 0
      this.#writtenRequests = 0
      this.#requestsOfOthers = 0
    }
    return this.#period
  }

  /** Credit units used in the period of this moment. */
  used(nowMs: number): number {
    this.periodAt(nowMs)
    return Math.max(0, this.#storedCost + this.#unwrittenCost)
  }

  /**
   * May a cost be counted without knowing what the others have counted since the last reading? Then all together pass a plan by less than the sum
   * of what each counts between two readings.
   */
  isCovered(cost: number, creditsPerPeriod: number): boolean {
    const count = this.#peers.count()
    return count === 1 || this.#unreadCost + cost <= (overshoot * creditsPerPeriod) / count
  }

  /** Counts a cost, or gives it back when below zero. */
  add(cost: number, periodNumber: number): void {
    if (periodNumber !== this.#period.number) return
    this.#unwrittenCost += cost
    this.#unreadCost += cost
  }

  /** Counts are now in the store. */
  written({ cost, requestCount }: Credits, periodNumber: number): void {
    if (periodNumber !== this.#period.number) return
    this.#unwrittenCost -= cost
    this.#storedCost += cost
    this.#writtenRequests += requestCount
  }

  /** The sums of all processes, read when all that this one had sent was written. */
  setStored({ cost, requestCount }: Credits, periodNumber: number, nowMs: number): void {
    if (periodNumber !== this.#period.number) return
    this.#storedCost = cost
    this.#unreadCost = this.#unwrittenCost
    const ofOthers = requestCount - this.#writtenRequests
    const taken = Math.max(0, ofOthers - (this.#requestsOfOthers ?? ofOthers))
    this.#bucket.charge(taken * this.#intervalMs, nowMs)
    this.#requestsOfOthers = ofOthers
  }

  /** The bucket is full, so requests of the others until the next reading do not count. */
  forgetOthers(): void {
    this.#requestsOfOthers = null
  }
}
