import type { Plan } from './plan.ts'
import { requestRateOf } from './tokenBucket.ts'

/** Stands for no limit: the largest integer that a structured header field may have. */
export const noLimit = 999_999_999_999_999

/** The RateLimit-Policy field of a plan. */
export function quotaPolicy({ requestsPerS, creditsPerPeriod }: Plan, periodS: number): string {
  return `${ratePolicy(requestsPerS)}, "credits";q=${creditsPerPeriod ?? noLimit};w=${periodS}`
}

function ratePolicy(requestsPerS: number | null): string {
  if (requestsPerS === null) return `"rate";q=${noLimit};w=1`
  const { burst, intervalMs } = requestRateOf(requestsPerS)
  // Windows are whole seconds: half a request per second is one in two.
  return `"rate";q=${burst};w=${Math.ceil((burst * intervalMs) / 1_000)}`
}
