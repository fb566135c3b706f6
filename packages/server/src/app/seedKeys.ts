import { createApiKey, hashApiKey } from '../gateway/keys/apiKey.ts'
import type { Store } from '../store/openStore.ts'
import type { KeyOrigin } from '../store/read/keys.ts'

/**
 * The configured key as one without limits; without it, on a chain of our own, a fresh key for this start. Those that
 * earlier configurations and starts made are revoked: a key that was taken out of the configuration must not go on
 * working, and of a start's key only the hash is left, so nobody can be shown it again. Null: keys are the user's affair.
 */
export async function seedKeys(
  store: Pick<Store, 'insertKey' | 'revokeOrigin'>,
  { configured, isLocal, nowS }: { configured: string | undefined; isLocal: boolean; nowS: number },
): Promise<string | null> {
  const origin: KeyOrigin = configured !== undefined ? 'configured' : 'start'
  const apiKey = configured ?? (isLocal ? createApiKey() : null)
  const hash = apiKey === null ? null : hashApiKey(apiKey)
  if (hash !== null) {
    const key = { name: origin, plan: 'unlimited', origin, createdAtS: nowS, expiresAtS: null }
    await store.insertKey({ ...key, hash })
  }
  await store.revokeOrigin({ origin: 'configured', exceptHash: hash, atS: nowS })
  if (configured === undefined)
    await store.revokeOrigin({ origin: 'start', exceptHash: hash, atS: nowS })
  return apiKey
}
