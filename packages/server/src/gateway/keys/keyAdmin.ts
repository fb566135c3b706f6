import type { KeyRecord, NewKey, Rotation } from '../../store/keys/keys.ts'
import type { Credits, Usage, UsageQuery } from '../../store/keys/usage.ts'
import type { Clock } from '../chain/gatewayChain.ts'
import { UnknownPlanError } from '../ground/errors.ts'
import { createApiKey, hashApiKey } from './apiKey.ts'
import { creditPeriodAt, dayAt, type Plan } from './plan.ts'

/** An API key without its secret or hash. */
export type KeyInfo = Omit<KeyRecord, 'hash'>

/** A created key. `key` is the secret, which is shown now and never again. */
export type CreatedKey = KeyInfo & { key: string }

/** A key with its own usage in this credit period. */
export type ListedKey = KeyInfo & { requestCount: number; creditsUsed: number }

type KeyUsage = {
  key: KeyInfo
  plan: Plan | null
  creditsUsed: number
  usages: readonly Usage[]
  nowMs: number
}

/**
 * Creates and ends API keys, whether the service runs or not. A running service applies changes at
 * once.
 */
export type KeyAdmin = {
  /** Creates a key. Throws UnknownPlanError, which lists the configured plans. */
  create(key: { name: string; plan: string; expiresInS: number | null }): Promise<CreatedKey>
  list(): Promise<ListedKey[]>
  /**
   * Creates another key of the same account. The old key ends after the grace period. Null: no
   * working key has this id.
   */
  rotate(id: number, graceS: number): Promise<CreatedKey | null>
  /** Makes a key expire `inS` seconds from now. Null: no working key has this id. */
  expire(id: number, inS: number): Promise<KeyInfo | null>
  /** Revokes a key. Null: no key has this id, or it was already revoked. */
  revoke(id: number): Promise<KeyInfo | null>
  /** Returns what a key's account used in this credit period. Null: no key has this id. */
  usage(id: number): Promise<KeyUsage | null>
}

type KeyAdminStore = {
  insertKey(key: NewKey): Promise<KeyRecord>
  findKeysById(ids: readonly number[]): Promise<KeyRecord[]>
  listKeys(): Promise<KeyRecord[]>
  revokeKey(id: number, atS: number): Promise<boolean>
  expireKey(query: { id: number; nowS: number; atS: number }): Promise<KeyRecord | null>
  rotateKey(rotation: Rotation): Promise<KeyRecord | null>
  sumUsage(query: {
    fromDay: number
    toDay: number
  }): Promise<ReadonlyMap<number, { requestCount: number; cost: number }>>
  loadUsage(query: UsageQuery): Promise<Usage[]>
  loadCredits(query: {
    accountIds: readonly number[]
    period: number
  }): Promise<ReadonlyMap<number, Credits>>
}

type KeyAdminOptions = {
  store: KeyAdminStore
  plans: ReadonlyMap<string, Plan>
  clock: Clock
}

export function createKeyAdmin({ store, plans, clock }: KeyAdminOptions): KeyAdmin {
  const nowS = () => Math.floor(clock.nowMs() / 1_000)

  function periodDays() {
    const nowMs = clock.nowMs()
    return { fromDay: dayAt(creditPeriodAt(nowMs).startMs), toDay: dayAt(nowMs) }
  }

  async function find(id: number): Promise<KeyRecord | undefined> {
    return (await store.findKeysById([id]))[0]
  }

  return {
    async create({ name, plan, expiresInS }) {
      if (!plans.has(plan)) throw new UnknownPlanError({ plan, known: [...plans.keys()] })
      const key = createApiKey()
      const createdAtS = nowS()
      const expiresAtS = expiresInS === null ? null : createdAtS + expiresInS
      const hash = hashApiKey(key)
      const record = await store.insertKey({ hash, name, plan, createdAtS, expiresAtS })
      return { ...infoOf(record), key }
    },
    async list() {
      const [records, sums] = await Promise.all([store.listKeys(), store.sumUsage(periodDays())])
      return records.map((record) => {
        const { requestCount, cost } = sums.get(record.id) ?? { requestCount: 0, cost: 0 }
        return { ...infoOf(record), requestCount, creditsUsed: cost }
      })
    },
    async rotate(id, graceS) {
      const key = createApiKey()
      const record = await store.rotateKey({ id, hash: hashApiKey(key), nowS: nowS(), graceS })
      return record === null ? null : { ...infoOf(record), key }
    },
    async expire(id, inS) {
      const record = await store.expireKey({ id, nowS: nowS(), atS: nowS() + inS })
      return record === null ? null : infoOf(record)
    },
    async revoke(id) {
      if (!(await store.revokeKey(id, nowS()))) return null
      const record = await find(id)
      return record === undefined ? null : infoOf(record)
    },
    async usage(id) {
      const record = await find(id)
      if (record === undefined) return null
      const { accountId } = record
      const nowMs = clock.nowMs()
      const period = creditPeriodAt(nowMs).number
      const [usages, credits] = await Promise.all([
        store.loadUsage({ accountId, ...periodDays() }),
        store.loadCredits({ accountIds: [accountId], period }),
      ])
      const creditsUsed = credits.get(accountId)?.cost ?? 0
      const plan = plans.get(record.plan) ?? null
      return { key: infoOf(record), plan, creditsUsed, usages, nowMs }
    },
  }
}

function infoOf({ hash: _, ...key }: KeyRecord): KeyInfo {
  return key
}
