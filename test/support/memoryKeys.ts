import { RequestError } from '../../packages/server/src/gateway/ground/errors.ts'
import type { ApiKey } from '../../packages/server/src/gateway/keys/apiKey.ts'
import type { RunningKeyAccess } from '../../packages/server/src/gateway/keys/createKeyAccess.ts'
import type { Caller } from '../../packages/server/src/gateway/keys/keyAccess.ts'
import type { Plan } from '../../packages/server/src/gateway/keys/plan.ts'

export const unlimitedPlan: Plan = {
  name: 'unlimited',
  requestsPerS: null,
  creditsPerPeriod: null,
  socketsMax: null,
  subscriptionsMax: null,
  priceIdsMax: null,
  messagesPerS: null,
  messageBytesMax: null,
  batchCallsMax: null,
}

export type MemoryHolder = Caller & { spent: number }

/** A valid key. */
export const validKey: ApiKey = {
  id: 1,
  accountId: 1,
  name: 'test',
  plan: unlimitedPlan.name,
  createdAtS: 0,
  expiresAtS: null,
  revokedAtS: null,
}

/** A key without limits that counts the credits it spent. */
export function unlimitedHolder(key: ApiKey): MemoryHolder {
  return {
    key,
    plan: unlimitedPlan,
    spent: 0,
    fault: () =>
      key.revokedAtS !== null ? 'invalid_key' : key.expiresAtS !== null ? 'expired_key' : null,
    admit(cost) {
      this.spent += cost
      return null
    },
    refund(cost) {
      this.spent -= cost
    },
    creditsLeft: () => null,
    quota() {
      const left = { requestsLeft: null, creditsLeft: null }
      return { ...left, requestsFullInS: 0, creditsUsed: this.spent, periodEndsInS: 1, policy: '' }
    },
  }
}

/** Keys by their text, without a database. A key with an expiry counts as expired. */
export function createMemoryKeys(
  holders: ReadonlyMap<string, Caller>,
): Pick<RunningKeyAccess, 'knows' | 'identify' | 'usageOf'> {
  return {
    knows: (text) => text !== undefined && holders.has(text),
    usageOf: async () => [],
    identify(text) {
      if (!text) throw new RequestError('missing_key', 'Send an API key.', 'X-API-KEY')
      const holder = holders.get(text)
      const fault = holder === undefined ? 'invalid_key' : holder.fault()
      if (fault !== null) throw new RequestError(fault, 'This key does not work.', 'X-API-KEY')
      return holder!
    },
  }
}
