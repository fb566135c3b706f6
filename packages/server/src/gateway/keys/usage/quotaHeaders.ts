import type { Caller } from '../keyAccess.ts'
import type { Plan } from '../plan.ts'
import { requestRateOf } from './tokenBucket.ts'

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
