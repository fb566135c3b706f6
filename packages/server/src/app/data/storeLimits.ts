import type { Config } from '../../config/schema.ts'
import type { StoreLimits } from '../../store/openStore.ts'

export function storeLimitsOf({ limits }: Config): Partial<StoreLimits> {
  return { readConnectionsMax: limits.read_connections_max, readTimeoutMs: limits.read_ms_max }
}
