/** How fast a bucket fills and how much it holds. */
export type RequestRate = {
  /** Requests that a full bucket holds. */
  burst: number
  /** Time for one request to come back. */
  intervalMs: number
}

export function requestRateOf(requestsPerS: number): RequestRate {
  return { burst: Math.max(1, Math.ceil(requestsPerS)), intervalMs: 1_000 / requestsPerS }
}

// Sums of thirds are not exact; a request is not refused for it.
const toleranceMs = 1e-6

// What is owed for longer than a minute is forgotten: many processes may each have admitted one request of a slow plan.
const chargedMsMax = 60_000

/**
 * A bucket of requests that refills with time. It keeps the time until it is full rather than a count: any rate
 * is the same to it, and so a key may change its plan under way.
 */
export class TokenBucket {
  #fullInMs = 0
  /** The part of it that others took, beyond an empty bucket. */
  #chargedMs = 0
  #atMs = 0

  /** Zero when a request may be taken now, or one that counts as several, else the time to wait for it. */
  waitMs(rate: RequestRate, nowMs: number, count = 1): number {
    const waitMs = this.#passTo(nowMs, rate) + (count - rate.burst) * rate.intervalMs
    return waitMs <= toleranceMs ? 0 : waitMs
  }

  /** Only after `waitMs` gave zero. */
  take(rate: RequestRate, nowMs: number, count = 1): void {
    this.#fullInMs = this.#passTo(nowMs, rate) + count * rate.intervalMs
  }

  /** Takes the time of requests that others took, whether they are there or not. */
  charge(timeMs: number, nowMs: number): void {
    this.#pass(nowMs)
    const chargedMs = Math.min(timeMs, chargedMsMax - this.#chargedMs)
    this.#chargedMs += chargedMs
    this.#fullInMs += chargedMs
  }

  /** Is it full, at any rate? */
  isSettled(nowMs: number): boolean {
    this.#pass(nowMs)
    return this.#fullInMs === 0
  }

  left(rate: RequestRate, nowMs: number): number {
    const fullInMs = this.#passTo(nowMs, rate)
    return Math.max(0, Math.floor(rate.burst - (fullInMs - toleranceMs) / rate.intervalMs))
  }

  fullInMs(rate: RequestRate, nowMs: number): number {
    return this.#passTo(nowMs, rate)
  }

  #passTo(nowMs: number, { burst, intervalMs }: RequestRate): number {
    this.#pass(nowMs)
    // After a change to a faster plan the debt of the slower one is at most an empty bucket.
    this.#fullInMs = Math.min(this.#fullInMs, burst * intervalMs + this.#chargedMs)
    return this.#fullInMs
  }

  #pass(nowMs: number): void {
    // A clock that was set back gives nothing and takes nothing.
    const passedMs = Math.max(0, nowMs - this.#atMs)
    this.#atMs = nowMs
    this.#fullInMs = Math.max(0, this.#fullInMs - passedMs)
    this.#chargedMs = Math.max(0, this.#chargedMs - passedMs)
  }
}
