/** Refill speed and capacity of a token bucket. */
export type RequestRate = {
  /** Requests that a full bucket holds. */
  burst: number
  /** Time in which one request is refilled. */
  intervalMs: number
}

export function requestRateOf(requestsPerS: number): RequestRate {
  return { burst: Math.max(1, Math.ceil(requestsPerS)), intervalMs: 1_000 / requestsPerS }
}

// Tolerance for rounding: sums of thirds are inexact, and must not refuse a request.
const toleranceMs = 1e-6

// Debt of more than a minute is forgiven: many processes may each have admitted one request of a
// slow plan.
const debtMsMax = 60_000

/**
 * A token bucket of requests. It stores the time until it is full instead of a count. The rate can
 * therefore be anything, and a key may change its plan at any time.
 */
export class TokenBucket {
  #fullInMs = 0
  /** Part of `#fullInMs` that other processes charged, even beyond an empty bucket. */
  #chargedMs = 0
  #atMs = 0

  /** Returns 0 if `count` requests may be taken now, else the milliseconds to wait. */
  waitMs(rate: RequestRate, nowMs: number, count = 1): number {
    const waitMs = this.#fullInMsAt(nowMs, rate) + (count - rate.burst) * rate.intervalMs
    return waitMs <= toleranceMs ? 0 : waitMs
  }

  /** Takes requests. Call it only after `waitMs` returned 0. */
  take(rate: RequestRate, nowMs: number, count = 1): void {
    this.#fullInMs = this.#fullInMsAt(nowMs, rate) + count * rate.intervalMs
  }

  /**
   * Charges the time of requests that other processes admitted, even if the bucket does not hold so
   * many.
   */
  charge(timeMs: number, nowMs: number): void {
    this.#advanceTo(nowMs)
    const chargedMs = Math.min(timeMs, debtMsMax - this.#chargedMs)
    this.#chargedMs += chargedMs
    this.#fullInMs += chargedMs
  }

  /** Returns whether the bucket is full, whatever its rate. */
  isFull(nowMs: number): boolean {
    this.#advanceTo(nowMs)
    return this.#fullInMs === 0
  }

  tokensLeft(rate: RequestRate, nowMs: number): number {
    const fullInMs = this.#fullInMsAt(nowMs, rate)
    return Math.max(0, Math.floor(rate.burst - (fullInMs - toleranceMs) / rate.intervalMs))
  }

  fullInMs(rate: RequestRate, nowMs: number): number {
    return this.#fullInMsAt(nowMs, rate)
  }

  #fullInMsAt(nowMs: number, { burst, intervalMs }: RequestRate): number {
    this.#advanceTo(nowMs)
    // After a change to a faster plan, the debt of the slower plan shrinks to an empty bucket at
    // most.
    this.#fullInMs = Math.min(this.#fullInMs, burst * intervalMs + this.#chargedMs)
    return this.#fullInMs
  }

  #advanceTo(nowMs: number): void {
    // A clock that was set back refills nothing and takes nothing.
    const passedMs = Math.max(0, nowMs - this.#atMs)
    this.#atMs = nowMs
    this.#fullInMs = Math.max(0, this.#fullInMs - passedMs)
    this.#chargedMs = Math.max(0, this.#chargedMs - passedMs)
  }
}
