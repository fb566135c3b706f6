import type { Config } from '../../config/schema/schema.ts'
import { createApiKey, hashApiKey } from '../../gateway/keys/apiKey.ts'
import type { Store } from '../../store/openStore.ts'

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
