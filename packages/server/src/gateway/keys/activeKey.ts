import type { Clock } from '../chain/gatewayChain.ts'
import { RequestError } from '../ground/errors.ts'
import type { ApiKey } from './apiKey.ts'
import type { Caller, Quota } from './keyAccess.ts'
import type { Plan } from './plan.ts'
import type { Account } from './usage/account.ts'
import { type RequestRate, requestRateOf } from './usage/tokenBucket.ts'
import type { UsageBook, UsageCounter } from './usage/usageBook.ts'

export type ActiveKeyOptions = {
  key: ApiKey
  plan: Plan
  account: Account
  book: UsageBook
  clock: Clock
  onRefused(code: 'rate_limited' | 'credits_exhausted'): void
  /**
   * Writes usage and reads the sums of all processes. Resolves to false if the store did not take
   * it. @default never needed
   */
  flushAndReadSums?: (() => Promise<boolean>) | undefined
}

/** One API key in use: enforces the limits of its plan and counts its usage. */
export class ActiveKey implements Caller {
  #key: ApiKey
  #plan!: Plan
  /** Rate limit of the plan. Null: unlimited. */
  #rateLimit!: RequestRate | null
  /** RateLimit-Policy header, built once per plan and credit period. */
  #policy = { text: '', endMs: 0 }
  readonly #account: Account
  readonly #options: ActiveKeyOptions
  /** Usage counters of the newest day, by operation. */
  readonly #counters = new Map<string, UsageCounter>()

  constructor(options: ActiveKeyOptions) {
    this.#options = options
    this.#account = options.account
    this.#key = options.key
    this.update(options.key, options.plan)
  }

  get key(): ApiKey {
    return this.#key
  }

  get plan(): Plan {
    return this.#plan
  }

  /** Applies the state of the key in the store. */
  update(key: ApiKey, plan: Plan): void {
    this.#key = key
    this.#plan = plan
    this.#policy = { text: '', endMs: 0 }
    this.#rateLimit = plan.requestsPerS === null ? null : requestRateOf(plan.requestsPerS)
  }

  fault(): 'invalid_key' | 'expired_key' | null {
    const { revokedAtS, expiresAtS } = this.#key
    if (revokedAtS !== null) return 'invalid_key'
    const isExpired = expiresAtS !== null && this.#options.clock.nowMs() >= expiresAtS * 1_000
    return isExpired ? 'expired_key' : null
  }

  admit(cost: number, operation: string): Promise<void> | null {
    const nowMs = this.#options.clock.nowMs()
    const { creditsPerPeriod } = this.#plan
    const { endMs } = this.#account.periodAt(nowMs)
    if (creditsPerPeriod !== null && this.#account.used(nowMs) + cost > creditsPerPeriod)
      this.#refuseCredits(endMs - nowMs)
    if (this.#rateLimit !== null) {
      const waitMs = this.#account.waitMs(this.#rateLimit, nowMs)
      if (waitMs > 0) this.#refuseRate(waitMs)
      this.#account.take(this.#rateLimit, nowMs)
    }
    const isAsked =
      creditsPerPeriod !== null &&
      cost > 0 &&
      !this.#account.canAdmitLocally(cost, creditsPerPeriod)
    const counter = this.#counterOf(operation, nowMs)
    this.#count(counter, cost)
    return isAsked ? this.#confirmInStore(counter, cost) : null
  }

  #count(counter: UsageCounter, cost: number, requestCount = 1): void {
    counter.requestCount += requestCount
    counter.cost += cost
    this.#account.add(cost, counter.period)
    this.#options.book.markChanged(counter)
  }

  /**
   * Checks in the store whether other processes have used the last credits. The sum of all
   * processes, which includes this cost, decides.
   */
  async #confirmInStore(counter: UsageCounter, cost: number): Promise<void> {
    const isSettled = (await this.#options.flushAndReadSums?.()) ?? true
    const nowMs = this.#options.clock.nowMs()
    const { creditsPerPeriod } = this.#plan
    const { endMs, number } = this.#account.periodAt(nowMs)
    const isWithin =
      creditsPerPeriod === null ||
      counter.period !== number ||
      this.#account.used(nowMs) <= creditsPerPeriod
    if (isSettled && isWithin) return
    this.#count(counter, -cost, -1)
    if (isSettled) this.#refuseCredits(endMs - nowMs)
    throw new RequestError('unavailable', 'Credits cannot be checked now; try again soon.')
  }

  refund(cost: number, operation: string): void {
    const newest = this.#counters.get(operation)
    if (newest === undefined) return
    const { previous } = newest
    // A request that began before midnight is refunded on its own day.
    const counter = newest.cost < cost && previous !== null ? previous : newest
    counter.failedCount += 1
    const given = Math.min(cost, counter.cost)
    counter.cost -= given
    this.#account.add(-given, counter.period)
    this.#options.book.markChanged(counter)
  }

  creditsLeft(): number | null {
    const { creditsPerPeriod } = this.#plan
    if (creditsPerPeriod === null) return null
    return Math.max(0, creditsPerPeriod - this.#account.used(this.#options.clock.nowMs()))
  }

  quota(): Quota {
    const nowMs = this.#options.clock.nowMs()
    const { creditsPerPeriod } = this.#plan
    const { startMs, endMs } = this.#account.periodAt(nowMs)
    const creditsUsed = this.#account.used(nowMs)
    const account = this.#account
    const rate = this.#rateLimit
    return {
      requestsLeft: rate === null ? null : account.requestsLeft(rate, nowMs),
      requestsFullInS: rate === null ? 0 : Math.ceil(account.fullInMs(rate, nowMs) / 1_000),
      creditsUsed,
      creditsLeft: creditsPerPeriod === null ? null : Math.max(0, creditsPerPeriod - creditsUsed),
      periodEndsInS: Math.ceil((endMs - nowMs) / 1_000),
      policy: this.#policyOf(startMs, endMs),
    }
  }

  #policyOf(startMs: number, endMs: number): string {
    if (this.#policy.endMs !== endMs)
      this.#policy = { text: rateLimitPolicy(this.#plan, (endMs - startMs) / 1_000), endMs }
    return this.#policy.text
  }

  #counterOf(operation: string, nowMs: number): UsageCounter {
    const held = this.#counters.get(operation)
    if (held !== undefined && nowMs < held.dayEndMs) return held
    const counter = this.#options.book.createCounter(this.#key, this.#account, operation, nowMs)
    if (held !== undefined) {
      held.previous = null
      counter.previous = held
    }
    this.#counters.set(operation, counter)
    return counter
  }

  #refuseRate(waitMs: number): never {
    this.#options.onRefused('rate_limited')
    const { requestsPerS, name } = this.#plan
    throw new RequestError(
      'rate_limited',
      `The plan ${name} allows ${requestsPerS} requests per second; slow down.`,
      undefined,
      { retryAfterS: Math.max(1, Math.ceil(waitMs / 1_000)) },
    )
  }

  #refuseCredits(waitMs: number): never {
    this.#options.onRefused('credits_exhausted')
    const { creditsPerPeriod, name } = this.#plan
    throw new RequestError(
      'credits_exhausted',
      `The plan ${name} has ${creditsPerPeriod} credit units a month and too few are left for this request.`,
      undefined,
      { retryAfterS: Math.max(1, Math.ceil(waitMs / 1_000)) },
    )
  }
}

/**
 * Returns the headers for the cost of a request and for what is left, as alternating names and
 * values: the X-CU headers, and RateLimit and RateLimit-Policy as in
 * draft-ietf-httpapi-ratelimit-headers, with one policy for requests and one for credits.
 */
export function quotaHeaders(holder: Caller, cost: number): string[] {
  const { requestsLeft, requestsFullInS, creditsLeft, periodEndsInS, policy } = holder.quota()
  const remaining = `${creditsLeft ?? unlimitedQuota}`
  const rate = `"rate";r=${requestsLeft ?? unlimitedQuota};t=${requestsFullInS}`
  const limits = `${rate}, "credits";r=${remaining};t=${periodEndsInS}`
  const fields = ['x-cu-cost', `${cost}`, 'x-cu-remaining', remaining]
  fields.push('ratelimit-policy', policy, 'ratelimit', limits)
  return fields
}

/** Represents "unlimited": the largest integer that a structured header field may have. */
export const unlimitedQuota = 999_999_999_999_999

/** Returns the RateLimit-Policy header of a plan. */
export function rateLimitPolicy({ requestsPerS, creditsPerPeriod }: Plan, periodS: number): string {
  return `${ratePolicy(requestsPerS)}, "credits";q=${creditsPerPeriod ?? unlimitedQuota};w=${periodS}`
}

function ratePolicy(requestsPerS: number | null): string {
  if (requestsPerS === null) return `"rate";q=${unlimitedQuota};w=1`
  const { burst, intervalMs } = requestRateOf(requestsPerS)
  // Windows are whole seconds: half a request per second becomes one request in two seconds.
  return `"rate";q=${burst};w=${Math.ceil((burst * intervalMs) / 1_000)}`
}
