import { hashApiKey } from '../../packages/server/src/gateway/keys/apiKey.ts'
import type { KeyStore } from '../../packages/server/src/gateway/keys/keyAccess.ts'
import type { Plan } from '../../packages/server/src/gateway/keys/plan.ts'
import type { KeyRecord } from '../../packages/server/src/store/keys/keys.ts'
import type { Credits, UsageCount } from '../../packages/server/src/store/keys/usage.ts'
import type { KeyWatchOptions } from '../../packages/server/src/store/keys/watchKeys.ts'

/** The key store in memory, with injectable faults. */
export type MemoryKeyStore = KeyStore & {
  /** Adds or changes a key and notifies watchers. */
  put(text: string, changes?: Partial<KeyRecord>): KeyRecord
  remove(id: number): void
  /** Whether watchers are notified. */
  setWatched(isLive: boolean): void
  /** While set, every call fails with it. */
  error: Error | null
  /** While true, usage is written but its answer is lost. */
  losesAnswers: boolean
  /** Number of calls so far, by name. */
  calls: Record<string, number>
  counts: UsageCount[]
}

export function createMemoryKeyStore(): MemoryKeyStore {
  const records = new Map<string, KeyRecord>()
  const sequences = new Map<string, number>()
  /** Open sockets as texts of process and key. */
  let sockets: string[] = []
  const watchers = new Set<KeyWatchOptions>()
  let isLive = true
  const hex = (hash: Uint8Array) => Buffer.from(hash).toString('hex')

  async function call(name: string): Promise<void> {
    store.calls[name] = (store.calls[name] ?? 0) + 1
    await Promise.resolve()
    if (store.error !== null) throw store.error
  }

  const store: MemoryKeyStore = {
    error: null,
    losesAnswers: false,
    calls: {},
    counts: [],
    put(text, changes = {}) {
      const hash = hashApiKey(text)
      const id = records.get(hex(hash))?.id ?? records.size + 1
      const record: KeyRecord = {
        id,
        accountId: id,
        hash,
        name: text,
        plan: 'free',
        origin: 'created',
        createdAtS: 1,
        expiresAtS: null,
        revokedAtS: null,
        ...records.get(hex(hash)),
        ...changes,
      }
      records.set(hex(hash), record)
      if (isLive) for (const { onChange } of watchers) onChange(record.id)
      return record
    },
    remove(id) {
      for (const [hash, record] of records) if (record.id === id) records.delete(hash)
      if (isLive) for (const { onChange } of watchers) onChange(id)
    },
    setWatched(next) {
      isLive = next
      for (const { onState } of watchers) onState?.(next)
    },
    async findKeysByHash({ hashes, period }) {
      const found = hashes.flatMap((hash) => records.get(hex(hash)) ?? [])
      await call('findKeysByHash')
      return found.map((key) => ({
        ...key,
        creditsUsed: creditsOf(store.counts, key.accountId, period).cost,
      }))
    },
    async findKeysById(ids) {
      await call('findKeysById')
      return [...records.values()].filter(({ id }) => ids.includes(id))
    },
    watchKeys(options) {
      watchers.add(options)
      options.onState?.(isLive)
      return { close: async () => void watchers.delete(options) }
    },
    async addUsage({ session, sequence, counts, closedSockets = [] }) {
      await call('addUsage')
      if ((sequences.get(session) ?? 0) < sequence) {
        sequences.set(session, sequence)
        store.counts.push(...counts)
        for (const { keyId, count } of closedSockets)
          for (let left = count; left > 0; left -= 1)
            sockets = sockets.toSpliced(sockets.indexOf(`${session} ${keyId}`), 1)
      }
      if (store.losesAnswers) throw new Error('The answer was lost.')
      return sequences.size - 1
    },
    dropUsageSessions: () => call('dropUsageSessions'),
    async takeSocket({ session, keyId, socketsMax }) {
      await call('takeSocket')
      if (sockets.filter((each) => each.endsWith(` ${keyId}`)).length >= socketsMax) return false
      sockets.push(`${session} ${keyId}`)
      return true
    },
    async loadCredits({ accountIds, period }) {
      await call('loadCredits')
      return new Map(accountIds.map((id) => [id, creditsOf(store.counts, id, period)]))
    },
    async loadUsage({ accountId, fromDay, toDay }) {
      await call('loadUsage')
      return store.counts.filter(
        (count) => count.accountId === accountId && count.day >= fromDay && count.day <= toDay,
      )
    },
  }
  return store
}

function creditsOf(counts: readonly UsageCount[], accountId: number, period: number): Credits {
  const credits = { cost: 0, requestCount: 0 }
  for (const count of counts) {
    if (count.accountId !== accountId || count.period !== period) continue
    credits.cost += count.cost
    credits.requestCount += count.requestCount
  }
  return credits
}

const limitless = {
  requestsPerS: null,
  creditsPerPeriod: null,
  socketsMax: null,
  subscriptionsMax: null,
  priceIdsMax: null,
  messagesPerS: null,
  messageBytesMax: null,
  batchCallsMax: null,
}

/** Small plans whose limits a test reaches. */
export const testPlans: ReadonlyMap<string, Plan> = new Map(
  [
    { ...limitless, name: 'free', requestsPerS: 1, creditsPerPeriod: 1_000 },
    { ...limitless, name: 'five', requestsPerS: 5, creditsPerPeriod: 100 },
    { ...limitless, name: 'credits', creditsPerPeriod: 100 },
    { ...limitless, name: 'unlimited' },
  ].map((plan) => [plan.name, plan]),
)
