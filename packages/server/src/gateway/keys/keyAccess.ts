import type { ErrorCode } from '@chaintape/protocol'
import type { KeyRecord, KeyWithUsage } from '../../store/keys/keys.ts'
import type { Credits, SocketQuery, Usage, UsageBatch, UsageQuery } from '../../store/keys/usage.ts'
import type { KeyWatch, KeyWatchOptions } from '../../store/keys/watchKeys.ts'
import type { ApiKey } from './apiKey.ts'
import type { Plan } from './plan.ts'

/** The caller of a request. A key in use has one holder, so a change in the store shows here. */
export type Caller = {
  readonly key: ApiKey
  readonly plan: Plan
  /**
   * Returns why the key no longer works, or null: `invalid_key` once revoked, `expired_key` once
   * expired.
   */
  fault(): Extract<ErrorCode, 'invalid_key' | 'expired_key'> | null
  /**
   * Charges one request and its cost. Throws `rate_limited` or `credits_exhausted` and then charges
   * nothing. Null: the request may be answered now. A promise: the store must confirm the
   * admission, because other processes may have used the last credits. It rejects with
   * `credits_exhausted` or `unavailable`, and then charges nothing.
   */
  admit(cost: number, operation: string): Promise<void> | null
  /** Refunds the cost of a request that failed. */
  refund(cost: number, operation: string): void
  /** Returns the credit units left in this period. Null: unlimited. */
  creditsLeft(): number | null
  /** Returns how much of each limit of the plan is used and left now. */
  quota(): Quota
}

/** Used and remaining amounts of an account, which keys rotated from one another share. */
export type Quota = {
  /** Requests that would be admitted at once. Null: unlimited. */
  requestsLeft: number | null
  /** Seconds until the token bucket of requests is full again, rounded up. */
  requestsFullInS: number
  creditsUsed: number
  creditsLeft: number | null
  /** Seconds until the credit period ends, rounded up. */
  periodEndsInS: number
  /** Limits of the plan, as the value of the RateLimit-Policy header. */
  policy: string
}

export type KeyAccess = {
  /** Returns whether this key worked when it was last checked. Never asks the store. */
  knows(text: string | undefined): boolean
  /**
   * Identifies the caller. Throws `missing_key`, `invalid_key`, `expired_key` or `unavailable`.
   * Returns a promise only if the store must be asked.
   */
  identify(text: string | undefined): Caller | Promise<Caller>
}

/** Operations of the store that key checks and usage need. */
export type KeyStore = {
  findKeysByHash(query: { hashes: readonly Uint8Array[]; period: number }): Promise<KeyWithUsage[]>
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
