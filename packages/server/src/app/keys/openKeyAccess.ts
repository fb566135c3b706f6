import type { Config } from '../../config/schema.ts'
import type { Clock } from '../../gateway/gatewayChain.ts'
import { createKeyAccess, type OpenKeyAccess } from '../../gateway/keys/createKeyAccess.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Metrics } from '../../lib/metrics.ts'
import type { Store } from '../../store/openStore.ts'
import { keyPlansOf } from './keyPlans.ts'

export type OpenKeyAccessOptions = {
  store: Store
  clock: Clock
  logger: Logger
  metrics: Metrics
  isSeeded(): boolean
}

/** Keys as the running service uses them. To be closed before the store. */
export function openKeyAccess(config: Config, options: OpenKeyAccessOptions): OpenKeyAccess {
  const { limits } = config
  return createKeyAccess({
    ...options,
    plans: keyPlansOf(config),
    limits: {
      keysMax: limits.key_cache_count_max,
      trustMs: limits.key_cache_ms,
      lookupMsMax: limits.key_lookup_ms_max,
      lookupsMax: limits.key_lookups_max,
      flushMs: limits.usage_write_ms,
    },
  })
}
