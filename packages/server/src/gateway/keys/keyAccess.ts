import type { ErrorCode } from '@chaintape/protocol'
import type { KeyRecord, UsedKey } from '../../store/keys/keys.ts'
import type { Credits, SocketQuery, Usage, UsageBatch, UsageQuery } from '../../store/keys/usage.ts'
import type { KeyWatch, KeyWatchOptions } from '../../store/keys/watchKeys.ts'
import type { ApiKey } from './apiKey.ts'
import type { Plan } from './plan.ts'

/** Who calls. One object per key for as long as the key is in use: a change in the store shows here. */
export type KeyHolder = {
  readonly key: ApiKey
  readonly plan: Plan
  /** Why the key no longer works, or null: `invalid_key` once revoked, `expired_key` once expired. */
  fault(): Extract<ErrorCode, 'invalid_key' | 'expired_key'> | null
  /**
   * Takes one request and its cost; throws `rate_limited` or `credits_exhausted`, and then nothing was taken. Null: it may be answered now.
   */
  admit(cost: number, operation: string): PendingAdmission | null
  /** Gives the cost back: a failed request costs nothing. */
  refund(cost: number, operation: string): void
  /** Credit units left in this period; null: no limit. */
  creditsLeft(): number | null
  /** How much is used and left of everything the plan limits, now. */
  quota(): Quota
}

/** Other processes may have used the last credits: the store is asked. */
export type PendingAdmission = {
  /** Rejects with `credits_exhausted` or `unavailable`, and then nothing was taken. */
  confirmed: Promise<void>
}

/** What is used and left. Keys that were rotated from one another share it. */
export type Quota = {
  /** Requests that would be admitted at once; null: no limit. */
  requestsLeft: number | null
  /** Seconds until the bucket of requests is full again, rounded up. */
  requestsFullInS: number
  creditsUsed: number
  creditsLeft: number | null
  /** Seconds until the period ends, rounded up. */
  periodEndsInS: number
  /** The limits as the RateLimit-Policy field has them. */
  policy: string
}

export type KeyAccess = {
  /** Was this a key that worked when it was last asked for? Asks nobody. */
  knows(text: string | undefined): boolean
  /** Throws `missing_key`, `invalid_key`, `expired_key` or `unavailable`. A promise only where the store must be asked. */
  identify(text: string | undefined): KeyHolder | Promise<KeyHolder>
}

/** What keys in use need of the store. */
export type KeyStore = {
  findKeysByHash(query: { hashes: readonly Uint8Array[]; period: number }): Promise<UsedKey[]>
  findKeysById(ids: readonly number[]): Promise<KeyRecord[]>
  watchKeys(options: KeyWatchOptions): KeyWatch
  addUsage(batch: UsageBatch): Promise<number>
  dropUsageSessions(unusedS: number): Promise<void>
  takeSocket(query: SocketQuery): Promise<boolean>
  loadCredits(query: {
    accountIds: readonly number[]
    period: number
  }): Promise<ReadonlyMap<number, Credits>>
  loadUsage(query: UsageQuery): Promise<Usage[]>
}
