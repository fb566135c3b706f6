import type { PlanConfig } from '../config/schema/plansSchema.ts'
import type { Config } from '../config/schema/schema.ts'
import type { Clock } from '../gateway/gatewayChain.ts'
import { createApiKey, hashApiKey } from '../gateway/keys/apiKey.ts'
import {
  createKeyAccess,
  fixedKeyLimits,
  type OpenKeyAccess,
} from '../gateway/keys/createKeyAccess.ts'
import { createKeyAdmin, type KeyAdmin } from '../gateway/keys/keyAdmin.ts'
import type { Plan } from '../gateway/keys/plan.ts'
import type { Logger } from '../lib/logger.ts'
import type { Metrics } from '../lib/metrics.ts'
import { openStoreAsIs, type Store } from '../store/openStore.ts'
import { openDatabase, requireStored } from './data/openDatabase.ts'

export type OpenKeyAccessOptions = {
  store: Store
  clock: Clock
  logger: Logger
  metrics: Metrics
  isSeeded(): boolean
}

/** Keys as the running service uses them. To be closed before the store. */
export function openKeyAccess(config: Config, options: OpenKeyAccessOptions): OpenKeyAccess {
  return createKeyAccess({
    ...options,
    plans: keyPlansOf(config),
    limits: { ...fixedKeyLimits, lookupMsMax: config.fixed.key_lookup_ms_max },
  })
}

/** The keys in the store, whether the service runs or not. */
export type Keys = KeyAdmin & { close(): Promise<void> }

/** A key as `list` gives it. */
export type ListedKey = Awaited<ReturnType<Keys['list']>>[number]

/** A key without anything secret. */
export type KeyInfo = Omit<ListedKey, 'requestCount' | 'creditsUsed'>

export type OpenKeysOptions = { logger: Logger; clock: Clock }

export async function openKeys(config: Config, options: OpenKeysOptions): Promise<Keys> {
  const { logger, clock } = options
  requireStored(config)
  const database = await openDatabase(config, { logger })
  try {
    const store = await openStoreAsIs({ connection: database.connection, logger })
    const admin = createKeyAdmin({ store, plans: keyPlansOf(config), clock })
    return {
      ...admin,
      async close() {
        await store.close()
        await database.stop()
      },
    }
  } catch (error) {
    await database.stop()
    throw error
  }
}

export type SeedOptions = {
  configured: string | undefined
  isLocal: boolean
  /** The chains that this service has claimed. */
  chains: readonly string[]
  nowS: number
  limits: {
    /** How long keys of earlier starts go on working. */
    startKeyGraceS: number
    startKeysMax: number
  }
}

export type SeededKeys = {
  /** Made for this start; null: the user has one, or makes one. */
  apiKey: string | null
  /** Whose key it is: this start's, the configuration's, or one that was made with `keys create`. */
  keyFrom: 'start' | 'config' | 'store'
  /** When the last key of the earlier starts expires; null when none of them works. */
  earlierKeysUntilS: number | null
}

// Whoever copied a key from the output of a start may be away for a week. A hundred starts in one are a script's.
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
 * The configured key as one without limits; without it, on a chain of our own, a fresh key for this start: of those
 * before only hashes are left, so nobody can be shown them again, but who has one may use it for a while longer.
 * A key that was taken out of the configuration must not go on working.
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
  // Who configured a key has it; it is not written to a log or a screen again.
  const keyFrom = configured !== undefined ? 'config' : isLocal ? 'start' : 'store'
  return { apiKey: made, keyFrom, earlierKeysUntilS }
}

/** The configured plans by name. */
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
