import type { PlanConfig } from '../../config/schema/limitsSchema.ts'
import type { Config } from '../../config/schema/schema.ts'
import { createApiKey, hashApiKey } from '../../gateway/keys/apiKey.ts'
import type { Plan } from '../../gateway/keys/plan.ts'
import type { Store } from '../../store/openStore.ts'

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

export type SeedOptions = {
  configured: string | undefined
  isLocal: boolean
  /** Chains that this service has claimed. */
  chains: readonly string[]
  nowS: number
  limits: {
    /** How long keys of earlier starts stay valid. */
    startKeyGraceS: number
    startKeysMax: number
  }
}

export type SeededKeys = {
  /** Key created for this start; null: the user already has a key or creates one. */
  apiKey: string | null
  /** Origin of the key: created by this start, from the config, or created with `keys create`. */
  keyFrom: 'start' | 'config' | 'store'
  /** When the last key of earlier starts expires; null: no earlier key is valid. */
  earlierKeysUntilS: number | null
}

// A user who copied a start's key may be away for a week. A hundred starts within a week come from
// a script.
const startKeyLimits = { startKeyGraceS: 604_800, startKeysMax: 100 }

export function seedOptionsOf(config: Config, chains: readonly string[]): SeedOptions {
  const { api_key: configured } = config
  const isLocal = Object.keys(config.chains).length === 0
  return {
    configured,
    isLocal,
    chains,
    nowS: Math.floor(Date.now() / 1_000),
    limits: startKeyLimits,
  }
}

/**
 * Stores the configured key as an unlimited key. Without one, a service with local chains gets a
 * fresh key per start: earlier keys exist only as hashes and cannot be shown again, but stay valid
 * for a while.
 * A key removed from the config is deleted.
 */
export async function seedKeys(
  store: Pick<Store, 'seedKey'>,
  { configured, isLocal, chains, nowS, limits }: SeedOptions,
): Promise<SeededKeys> {
  const origin = configured !== undefined ? 'configured' : 'start'
  const made = configured === undefined && isLocal ? createApiKey() : null
  const inForce = configured ?? made
  const key = inForce === null ? null : ({ hash: hashApiKey(inForce), origin } as const)
  const earlierKeysUntilS = await store.seedKey({ chains, key, nowS, ...limits })
  // The user has the configured key, so it must not appear again in a log or on a screen.
  const keyFrom = configured !== undefined ? 'config' : isLocal ? 'start' : 'store'
  return { apiKey: made, keyFrom, earlierKeysUntilS }
}
