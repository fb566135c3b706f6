import type { KeyRecord, UsedKey } from '../../store/keys/keys.ts'
import type { UnusedSessions, Usage, UsageBatch, UsageQuery } from '../../store/keys/usage.ts'
import type { KeyWatch, KeyWatchOptions } from '../../store/keys/watchKeys.ts'

/** What keys in use need of the store. */
export type KeyStore = {
  findKeysByHash(query: { hashes: readonly Uint8Array[]; period: number }): Promise<UsedKey[]>
  findKeysById(ids: readonly number[]): Promise<KeyRecord[]>
  watchKeys(options: KeyWatchOptions): KeyWatch
  addUsage(batch: UsageBatch): Promise<void>
  dropUsageSessions(query: UnusedSessions): Promise<void>
  loadCredits(query: {
    accountIds: readonly number[]
    period: number
  }): Promise<ReadonlyMap<number, number>>
  loadUsage(query: UsageQuery): Promise<Usage[]>
}
