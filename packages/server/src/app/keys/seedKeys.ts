import type { Config } from '../../config/schema.ts'
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
  /** Null: keys are the user's affair. */
  apiKey: string | null
  /** When the last key of the earlier starts expires; null when none of them works. */
  earlierKeysUntilS: number | null
}

export function seedOptionsOf(config: Config, chains: readonly string[]): SeedOptions {
  const { api_key: configured, limits } = config
  const isLocal = Object.keys(config.chains).length === 0
  return {
    ...{ configured, isLocal, chains, nowS: Math.floor(Date.now() / 1_000) },
    limits: { startKeyGraceS: limits.start_key_grace_s, startKeysMax: limits.start_keys_max },
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
  const apiKey = configured ?? (isLocal ? createApiKey() : null)
  const key = apiKey === null ? null : ({ hash: hashApiKey(apiKey), origin } as const)
  const earlierKeysUntilS = await store.seedKey({ chains, key, nowS, ...limits })
  return { apiKey, earlierKeysUntilS }
}
