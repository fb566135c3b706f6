import { createApiKey, hashApiKey } from '../gateway/keys/apiKey.ts'
import type { Store } from '../store/openStore.ts'

const startKeyName = 'start'
const configuredKeyName = 'configured'

/**
 * The configured key as one without limits; without it, on a chain of our own, a fresh key for this start (the one of
 * the start before is revoked: only its hash is left, so nobody can be shown it again). Null: keys are the user's affair.
 */
export async function seedKeys(
  store: Store,
  { configured, isLocal, nowS }: { configured: string | undefined; isLocal: boolean; nowS: number },
): Promise<string | null> {
  const plan = 'unlimited'
  if (configured !== undefined) {
    const hash = hashApiKey(configured)
    const key = { hash, name: configuredKeyName, plan, createdAtS: nowS, expiresAtS: null }
    await store.insertKey(key)
    return configured
  }
  if (!isLocal) return null
  for (const key of await store.listKeys())
    if (key.name === startKeyName && key.revokedAtS === null) await store.revokeKey(key.id, nowS)
  const apiKey = createApiKey()
  const hash = hashApiKey(apiKey)
  await store.insertKey({ hash, name: startKeyName, plan, createdAtS: nowS, expiresAtS: null })
  return apiKey
}
