import type { UsageBody } from '@chaintape/protocol'
import type { Usage } from '../../../store/keys/usage.ts'
import { componentRef } from '../../ground/schemas.ts'
import type { ApiKey } from '../../keys/apiKey.ts'
import { creditPeriodAt, dayStartMs, type Plan } from '../../keys/plan.ts'
import { requestRateOf } from '../../keys/usage/tokenBucket.ts'
import { defineOperation } from '../operation.ts'

/** Sums of requests, failed requests and credits. */
type UsageSum = UsageBody['total']

type UsageState = {
  key: Pick<ApiKey, 'id' | 'name' | 'expiresAtS'>
  plan: Plan
  creditsUsed: number
  /** Requests left in the rate limit's burst; null without a limit or when unknown. */
  requestsLeft: number | null
  /** Usage records of the current period. Records of the same key, day and operation are summed. */
  usages: readonly Usage[]
  nowMs: number
}

/** Builds the usage answer of a key's account in the current credit period. */
export function usageBody(state: UsageState): UsageBody {
  const { key, plan, creditsUsed, requestsLeft, usages, nowMs } = state
  const { requestsPerS, creditsPerPeriod } = plan
  const { startMs, endMs } = creditPeriodAt(nowMs)
  return {
    key: { id: key.id, name: key.name, expires_at: key.expiresAtS },
    plan: plan.name,
    rate_limit: {
      requests_per_s: requestsPerS,
      burst: requestsPerS === null ? null : requestRateOf(requestsPerS).burst,
      remaining: requestsLeft,
    },
    credits: {
      limit: creditsPerPeriod,
      used: creditsUsed,
      remaining: creditsPerPeriod === null ? null : Math.max(0, creditsPerPeriod - creditsUsed),
    },
    period: { start: startMs / 1_000, end: endMs / 1_000 },
    total: sumOf(usages),
    operations: byOperation(usages),
    days: [...groups(usages, ({ day }) => day)]
      .sort(([a], [b]) => a - b)
      .map(([day, rows]) => ({
        date: new Date(dayStartMs(day)).toISOString().slice(0, 10),
        ...sumOf(rows),
        operations: byOperation(rows),
      })),
  }
}

function byOperation(usages: readonly Usage[]): (UsageSum & { operation: string })[] {
  return [...groups(usages, ({ operation }) => operation)]
    .map(([operation, rows]) => ({ operation, ...sumOf(rows) }))
    .sort((a, b) => b.credits - a.credits || (a.operation < b.operation ? -1 : 1))
}

function sumOf(usages: readonly Usage[]): UsageSum {
  const sum = { requests: 0, failed: 0, credits: 0 }
  for (const { requestCount, failedCount, cost } of usages) {
    sum.requests += requestCount
    sum.failed += failedCount
    sum.credits += cost
  }
  return sum
}

function groups<key>(usages: readonly Usage[], keyOf: (usage: Usage) => key): Map<key, Usage[]> {
  const result = new Map<key, Usage[]>()
  for (const usage of usages) {
    const rows = result.get(keyOf(usage))
    if (rows === undefined) result.set(keyOf(usage), [usage])
    else rows.push(usage)
  }
  return result
}

/**
 * GET /v2/usage: what the calling key has used and may still use. Free of charge, because clients
 * without credits need it most.
 */
export const usageOfKey = defineOperation({
  id: 'usage',
  method: 'GET',
  path: '/v2/usage',
  cost: 0,
  tag: 'service',
  summary: 'Credits and rate of the calling key',
  inputs: {},
  answer: componentRef('Usage'),
  isPrivate: true,
  async run(_values, { clock, usageOf }, caller) {
    const { creditsUsed, requestsLeft } = caller.quota()
    const usages = await usageOf(caller)
    const { key, plan } = caller
    const nowMs = clock.nowMs()
    return {
      json: JSON.stringify(usageBody({ key, plan, creditsUsed, requestsLeft, usages, nowMs })),
    }
  },
})
