import { createApiKey, hashApiKey } from '../gateway/keys/apiKey.ts'
import type { Store } from '../store/openStore.ts'
import type { KeyOrigin } from '../store/read/keys.ts'

export type SeedOptions = {
  configured: string | undefined
  isLocal: boolean
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

/**
 * The configured key as one without limits; without it, on a chain of our own, a fresh key for this start: of those
 * before only hashes are left, so nobody can be shown them again, but who has one may use it for a while longer.
 * A key that was taken out of the configuration must not go on working.
 */
export async function seedKeys(
  store: Pick<Store, 'insertKey' | 'revokeOrigin' | 'limitStartKeys'>,
  { configured, isLocal, nowS, limits }: SeedOptions,
): Promise<SeededKeys> {
  const origin: KeyOrigin = configured !== undefined ? 'configured' : 'start'
  const apiKey = configured ?? (isLocal ? createApiKey() : null)
  const hash = apiKey === null ? null : hashApiKey(apiKey)
  if (hash !== null) {
    const key = { name: origin, plan: 'unlimited', origin, createdAtS: nowS, expiresAtS: null }
    await store.insertKey({ ...key, hash })
  }
  await store.revokeOrigin({ origin: 'configured', exceptHash: hash, atS: nowS })
  if (configured !== undefined) return { apiKey, earlierKeysUntilS: null }
  if (hash === null) {
    await store.revokeOrigin({ origin: 'start', exceptHash: null, atS: nowS })
    return { apiKey, earlierKeysUntilS: null }
  }
  const { startKeyGraceS: graceS, startKeysMax: keysMax } = limits
  const earlierKeysUntilS = await store.limitStartKeys({ hash, nowS, graceS, keysMax })
  return { apiKey, earlierKeysUntilS }
}
