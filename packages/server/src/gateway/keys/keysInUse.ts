import { strict as assert } from 'node:assert'
import type { Logger } from '../../lib/logger.ts'
import type { KeyRecord, KeyWithUsage } from '../../store/keys/keys.ts'
import type { Clock } from '../chain/gatewayChain.ts'
import { ActiveKey, type ActiveKeyOptions } from './activeKey.ts'
import type { ApiKey } from './apiKey.ts'
import type { KeyStore } from './keyAccess.ts'
import { fallbackPlanName, type Plan } from './plan.ts'
import { Account, type PeerProcesses } from './usage/account.ts'
import type { UsageBook } from './usage/usageBook.ts'

type KeysInUseOptions = {
  store: Pick<KeyStore, 'findKeysById'>
  plans: ReadonlyMap<string, Plan>
  book: UsageBook
  clock: Clock
  logger: Logger
  onRefused: ActiveKeyOptions['onRefused']
  flushAndReadSums: ActiveKeyOptions['flushAndReadSums']
  peers: PeerProcesses
}

/** The keys in use, with one holder each. */
export type KeysInUse = {
  /** Returns the holder of a key that was just read from the store. */
  activate(key: KeyWithUsage): ActiveKey
  has(id: number): boolean
  /** Rereads these keys, or all keys in use. */
  refresh(ids?: readonly number[]): Promise<void>
}

const refreshKeysMax = 1_000

export function createKeysInUse(options: KeysInUseOptions): KeysInUse {
  const { store, plans, book, clock, logger, onRefused, flushAndReadSums, peers } = options
  const holders = createWeakObjects<ActiveKey>()
  const accounts = createWeakObjects<Account>()
  const warnedPlans = new Set<string>()

  function planOf({ id, plan }: ApiKey): Plan {
    const found = plans.get(plan)
    if (found !== undefined) return found
    if (!warnedPlans.has(plan))
      logger.warn({ msg: 'An API key has a plan that is not configured', keyId: id, plan })
    warnedPlans.add(plan)
    const fallback = plans.get(fallbackPlanName)
    assert(fallback !== undefined, 'the fallback plan is built in')
    return fallback
  }

  /**
   * Returns the account with this id. An account in memory is newer than the store: it includes
   * usage not written yet.
   */
  function accountOf(id: number, storedCost: number): Account {
    const held = accounts.get(id)
    if (held !== undefined) return held
    const account = new Account(id, { storedCost, nowMs: clock.nowMs(), peers })
    accounts.set(id, account)
    return account
  }

  function activate({ creditsUsed, ...record }: KeyWithUsage): ActiveKey {
    const key = apiKeyOf(record)
    const held = holders.get(key.id)
    if (held !== undefined) {
      held.update(key, planOf(key))
      return held
    }
    const account = accountOf(key.accountId, creditsUsed)
    const plan = planOf(key)
    const holder = new ActiveKey({ key, plan, account, book, clock, onRefused, flushAndReadSums })
    holders.set(key.id, holder)
    return holder
  }

  async function refresh(ids: readonly number[] = holders.ids()): Promise<void> {
    for (let at = 0; at < ids.length; at += refreshKeysMax) {
      const some = ids.slice(at, at + refreshKeysMax)
      const records = new Map((await store.findKeysById(some)).map((record) => [record.id, record]))
      for (const id of some) {
        const holder = holders.get(id)
        if (holder === undefined) continue
        const record = records.get(id)
        // A key whose row was deleted counts as revoked.
        const key = record === undefined ? revoked(holder.key, clock) : apiKeyOf(record)
        holder.update(key, planOf(key))
      }
    }
  }

  return { activate, has: (id) => holders.get(id) !== undefined, refresh }
}

function apiKeyOf({ hash: _hash, origin: _origin, ...key }: KeyRecord): ApiKey {
  return key
}

function revoked(key: ApiKey, clock: Clock): ApiKey {
  return { ...key, revokedAtS: Math.floor(clock.nowMs() / 1_000) }
}

/**
 * Objects by id, held weakly: while any code holds an object, no second object with its id is made.
 */
type WeakObjects<value extends object> = {
  get(id: number): value | undefined
  set(id: number, value: value): void
  ids(): number[]
}

function createWeakObjects<value extends object>(): WeakObjects<value> {
  const refs = new Map<number, WeakRef<value>>()
  const registry = new FinalizationRegistry<number>((id) => {
    // A new object may already have taken the id of the collected object.
    if (refs.get(id)?.deref() === undefined) refs.delete(id)
  })
  return {
    get: (id) => refs.get(id)?.deref(),
    set(id, value) {
      refs.set(id, new WeakRef(value))
      registry.register(value, id)
    },
    ids: () => [...refs.keys()],
  }
}
