import type { Clock } from '../gatewayChain.ts'
import { createRecentMap } from '../keys/recentMap.ts'
import { type RequestRate, TokenBucket } from '../keys/usage/tokenBucket.ts'

/** What one address may do. */
export type AddressLimits = {
  connectionsMax: number
  /** Requests without a key that works. */
  strangerRequestsPerS: number
  failedKeysPerMin: number
  failedAdminKeysPerMin: number
  /** Addresses that are remembered; those that were quiet longest are forgotten. */
  addressesMax: number
}

/** Of these, what is the same for every service. */
export const fixedAddressLimits = {
  failedKeysPerMin: 600,
  // Who administers a service has the key at hand; who guesses needs many more.
  failedAdminKeysPerMin: 10,
  addressesMax: 65_536,
} as const satisfies Partial<AddressLimits>

export type FaultKind = 'stranger' | 'failedKey' | 'failedAdminKey'

/** What each address has done lately. */
export type AddressBook = {
  /** Takes a connection; false: the address has as many as it may. */
  connect(address: string): boolean
  disconnect(address: string): void
  /**
   * Counts a fault. Zero: it is within the limits; else the time until another would be. `count`: what is expensive to
   * answer counts as so many, or as all that a quiet address may do at once.
   */
  waitMs(address: string, kind: FaultKind, count?: number): number
  /** Would a request without a key be over the limits now? */
  isOver(address: string): boolean
}

// After a pause as many at once as a page with all its parts, a scrape and some probes.
const burstS = 5
const minuteMs = 60_000

type Buckets = Record<FaultKind, TokenBucket>

export function createAddressBook(limits: AddressLimits, clock: Clock): AddressBook {
  /** No more of them than open connections. */
  const connections = new Map<string, number>()
  const buckets = createRecentMap<Buckets>(limits.addressesMax)
  const rates: Record<FaultKind, RequestRate> = {
    stranger: {
      burst: Math.ceil(limits.strangerRequestsPerS * burstS),
      intervalMs: 1_000 / limits.strangerRequestsPerS,
    },
    failedKey: perMinute(limits.failedKeysPerMin),
    failedAdminKey: perMinute(limits.failedAdminKeysPerMin),
  }

  function bucketsOf(address: string): Buckets {
    const known = buckets.get(address)
    if (known !== undefined) return known
    const made: Buckets = {
      stranger: new TokenBucket(),
      failedKey: new TokenBucket(),
      failedAdminKey: new TokenBucket(),
    }
    buckets.set(address, made)
    return made
  }

  return {
    connect(address) {
      const count = connections.get(address) ?? 0
      if (count >= limits.connectionsMax) return false
      connections.set(address, count + 1)
      return true
    },
    disconnect(address) {
      const count = connections.get(address) ?? 0
      if (count > 1) connections.set(address, count - 1)
      else connections.delete(address)
    },
    waitMs(address, kind, count = 1) {
      const nowMs = clock.nowMs()
      const bucket = bucketsOf(address)[kind]
      const rate = rates[kind]
      const counted = Math.min(count, rate.burst)
      const waitMs = bucket.waitMs(rate, nowMs, counted)
      if (waitMs === 0) bucket.take(rate, nowMs, counted)
      return waitMs
    },
    isOver(address) {
      const known = buckets.get(address)
      return known !== undefined && known.stranger.waitMs(rates.stranger, clock.nowMs()) > 0
    },
  }
}

function perMinute(count: number): RequestRate {
  return { burst: Math.ceil(count), intervalMs: minuteMs / count }
}
