import type { ErrorCode } from '@chaintape/protocol'
import type { ApiKey } from './apiKey.ts'
import type { Plan } from './plan.ts'

/** Who calls. One object per key for as long as the key is in use: a change in the store shows here. */
export type KeyHolder = {
  readonly key: ApiKey
  readonly plan: Plan
  /** Why the key no longer works, or null: `invalid_key` once revoked, `expired_key` once expired. */
  fault(): Extract<ErrorCode, 'invalid_key' | 'expired_key'> | null
  /** Takes one request and its cost; throws `rate_limited` or `credits_exhausted`, and then nothing was taken. */
  admit(cost: number): void
  /** Gives the cost back: a failed request costs nothing. */
  refund(cost: number): void
  /** Credit units left in this period; null: no limit. */
  creditsLeft(): number | null
}

export type KeyAccess = {
  /** Throws `missing_key`, `invalid_key`, `expired_key` or `unavailable`. A promise only where the store must be asked. */
  identify(text: string | undefined): KeyHolder | Promise<KeyHolder>
}
