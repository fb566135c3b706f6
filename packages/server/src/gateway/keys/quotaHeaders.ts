import type { KeyHolder } from './keyAccess.ts'
import { noLimit } from './quotaPolicy.ts'

/**
 * What an answer says of its cost and of what is left, as names and values in turn: the X-CU fields, and RateLimit and
 * RateLimit-Policy as in draft-ietf-httpapi-ratelimit-headers, with one policy for requests and one for credits.
 */
export function quotaHeaders(holder: KeyHolder, cost: number): string[] {
  const { requestsLeft, requestsFullInS, creditsLeft, periodEndsInS, policy } = holder.quota()
  const remaining = `${creditsLeft ?? noLimit}`
  const rate = `"rate";r=${requestsLeft ?? noLimit};t=${requestsFullInS}`
  const limits = `${rate}, "credits";r=${remaining};t=${periodEndsInS}`
  const fields = ['x-cu-cost', `${cost}`, 'x-cu-remaining', remaining]
  fields.push('ratelimit-policy', policy, 'ratelimit', limits)
  return fields
}
