import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** An API key without its secret. The store keeps only the hash of the secret. */
export type ApiKey = {
  id: number
  /**
   * Keys that were rotated from one another have one account: they share its rate limit and
   * credits.
   */
  accountId: number
  name: string
  plan: string
  createdAtS: number
  /** Expiry time. Null: the key never expires. */
  expiresAtS: number | null
  /** Revocation time. Null: the key is not revoked. */
  revokedAtS: number | null
}

// 256 random bits cannot be guessed, so an unsalted hash is safe to store.
const keyBytes = 32

/**
 * Creates the text of an API key, to be shown once. The prefix lets people and secret scanners
 * recognize it.
 */
export function createApiKey(): string {
  return `ct_${randomBytes(keyBytes).toString('base64url')}`
}

/** Returns the SHA-256 of an API key, which the store keeps and looks up. */
export function hashApiKey(key: string): Buffer {
  return createHash('sha256').update(key, 'utf8').digest()
}

/**
 * Returns a constant-time test for one secret: it compares hashes of equal length, so its duration
 * reveals nothing.
 */
export function createSecretCheck(secret: string): (text: string) => boolean {
  const expected = hashApiKey(secret)
  return (text) => timingSafeEqual(hashApiKey(text), expected)
}
