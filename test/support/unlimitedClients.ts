import type { AddressLimits } from '../../packages/server/src/gateway/clients/addressUsage.ts'
import { type Clients, createClients } from '../../packages/server/src/gateway/clients/clients.ts'
import type { KeyAccess } from '../../packages/server/src/gateway/keys/keyAccess.ts'
import { createMetrics } from '../../packages/server/src/lib/metrics.ts'

/** More than any test sends from its address. */
export const highAddressLimits: AddressLimits = {
  connectionsMax: 100_000,
  anonymousRequestsPerS: 1_000_000,
  failedKeysPerMin: 60_000_000,
  failedAdminKeysPerMin: 60_000_000,
  addressesMax: 1_000,
}

/** Clients without limits per address, unless the test sets some. */
export function createUnlimitedClients(
  keys: KeyAccess,
  limits: Partial<AddressLimits> = {},
  trustedProxies: readonly string[] = [],
): Clients {
  return createClients({
    keys,
    trustedProxies,
    metrics: createMetrics(),
    addressLimits: { ...highAddressLimits, ...limits },
    clock: { nowMs: () => performance.now() },
  })
}
