import type { KeyHolder } from './keyAccess.ts'
import { noLimit } from './quotaPolicy.ts'

export type QuotaHeaders = {
  'x-cu-cost': string
  'x-cu-remaining': string
  'ratelimit-policy': string
  ratelimit: string
}

/**
 * What an answer says of its cost and of what is left: the X-CU fields, and RateLimit and RateLimit-Policy as in
 * draft-ietf-httpapi-ratelimit-headers, with one policy for requests and one for credits.
 */
export function quotaHeaders(holder: KeyHolder, cost: number): QuotaHeaders {
  const { requestsLeft, requestsFullInS, creditsLeft, periodEndsInS, policy } = holder.quota()
  const remaining = `${creditsLeft ?? noLimit}`
  return {
    'x-cu-cost': `${cost}`,
    'x-cu-remaining': remaining,
    'ratelimit-policy': policy,
    ratelimit: `"rate";r=${requestsLeft ?? noLimit};t=${requestsFullInS}, "credits";r=${remaining};t=${periodEndsInS}`,
  }
}
