import type { PlanConfig } from '../../config/schema/plansSchema.ts'
import type { Config } from '../../config/schema/schema.ts'
import type { Plan } from '../../gateway/keys/plan.ts'

/** Returns the configured plans by name. */
export function keyPlansOf({ plans }: Config): Map<string, Plan> {
  return new Map(Object.entries(plans).map(([name, plan]) => [name, planOf(name, plan)]))
}

function planOf(name: string, plan: PlanConfig): Plan {
  return {
    name,
    requestsPerS: limitOf(plan.requests_per_s),
    creditsPerPeriod: limitOf(plan.credits_per_period),
    socketsMax: limitOf(plan.sockets_max),
    subscriptionsMax: limitOf(plan.subscriptions_max),
    priceIdsMax: limitOf(plan.price_ids_max),
    messagesPerS: limitOf(plan.messages_per_s),
    messageBytesMax: limitOf(plan.message_bytes_max),
    batchCallsMax: limitOf(plan.batch_calls_max),
  }
}

function limitOf(value: number): number | null {
  return value === 0 ? null : value
}
