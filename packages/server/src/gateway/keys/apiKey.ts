import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** A key as the store knows it: never the key itself, only its hash. */
export type ApiKey = {
  id: number
  /** Keys that were rotated from one another have one account: they share its rate and its credits. */
  accountId: number
  name: string
  plan: string
  createdAtS: number
  /** Null: never. */
  expiresAtS: number | null
  /** Null: it works. */
  revokedAtS: number | null
}

// 256 bits: guessing is out of the question, so a plain hash without salt is enough to store.
const keyBytes = 32

/** A new key, to be shown once. The prefix lets people and scanners recognise it. */
export function createApiKey(): string {
  return `ct_${randomBytes(keyBytes).toString('base64url')}`
}

/** SHA-256 of the key: what is stored and looked up. */
export function hashApiKey(key: string): Buffer {
  return createHash('sha256').update(key, 'utf8').digest()
}

/** Returns a test for one secret. It compares hashes, which have one length, so its time reveals nothing. */
export function createSecretTest(secret: string): (text: string) => boolean {
  const expected = hashApiKey(secret)
  return (text) => timingSafeEqual(hashApiKey(text), expected)
}
