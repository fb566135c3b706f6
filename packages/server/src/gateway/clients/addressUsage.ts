import type { Clock } from '../chain/gatewayChain.ts'
import { createLruMap } from '../ground/lruMap.ts'
import { type RequestRate, TokenBucket } from '../keys/usage/tokenBucket.ts'

/** Limits that apply to one client address. */
export type AddressLimits = {
  connectionsMax: number
  /** Requests per second without a valid API key. */
  anonymousRequestsPerS: number
  failedKeysPerMin: number
  failedAdminKeysPerMin: number
  /** Addresses whose use is remembered. The addresses that were quiet longest are forgotten. */
  addressesMax: number
}

/** Address limits that are the same for every service, not configurable. */
export const fixedAddressLimits = {
  failedKeysPerMin: 600,
  // An operator has the admin key at hand; guessing a key takes many more attempts.
  failedAdminKeysPerMin: 10,
  addressesMax: 65_536,
} as const satisfies Partial<AddressLimits>

export type ClientFaultKind = 'anonymous' | 'failedKey' | 'failedAdminKey'

/** Open connections and recent faults of each client address. */
export type AddressUsage = {
  /** Counts a new connection. False: the address has its maximum of connections. */
  connect(address: string): boolean
  disconnect(address: string): void
  /**
   * Counts a fault. Returns 0 if it is within the limits, else the milliseconds until the next is
   * allowed. `count`: an expensive request counts as that many, but at most as a full burst.
   */
  countFault(address: string, kind: ClientFaultKind, count?: number): number
  /** Whether a request without a key would exceed the address's limit now. */
  isOverLimit(address: string): boolean
}

// Seconds of requests that are allowed at once after a pause: a page with all its parts, a scrape
// and some probes.
const burstS = 5
const minuteMs = 60_000

type Buckets = Record<ClientFaultKind, TokenBucket>

export function createAddressUsage(limits: AddressLimits, clock: Clock): AddressUsage {
  /** Connections by address. Bounded, because only open connections count. */
  const connections = new Map<string, number>()
  const buckets = createLruMap<Buckets>(limits.addressesMax)
  const rates: Record<ClientFaultKind, RequestRate> = {
    anonymous: {
      burst: Math.ceil(limits.anonymousRequestsPerS * burstS),
      intervalMs: 1_000 / limits.anonymousRequestsPerS,
    },
    failedKey: perMinute(limits.failedKeysPerMin),
    failedAdminKey: perMinute(limits.failedAdminKeysPerMin),
  }

  function bucketsOf(address: string): Buckets {
    const known = buckets.get(address)
    if (known !== undefined) return known
    const made: Buckets = {
      anonymous: new TokenBucket(),
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
    countFault(address, kind, count = 1) {
      const nowMs = clock.nowMs()
      const bucket = bucketsOf(address)[kind]
      const rate = rates[kind]
      const counted = Math.min(count, rate.burst)
      const waitMs = bucket.waitMs(rate, nowMs, counted)
      if (waitMs === 0) bucket.take(rate, nowMs, counted)
      return waitMs
    },
    isOverLimit(address) {
      const known = buckets.get(address)
      return known !== undefined && known.anonymous.waitMs(rates.anonymous, clock.nowMs()) > 0
    },
  }
}

function perMinute(count: number): RequestRate {
  return { burst: Math.ceil(count), intervalMs: minuteMs / count }
}
