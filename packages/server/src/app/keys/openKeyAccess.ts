import type { Config } from '../../config/schema/schema.ts'
import type { Clock } from '../../gateway/gatewayChain.ts'
import {
  createKeyAccess,
  fixedKeyLimits,
  type OpenKeyAccess,
} from '../../gateway/keys/createKeyAccess.ts'
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
  return createKeyAccess({
    ...options,
    plans: keyPlansOf(config),
    // Gateways serve the same keys. An indexer answers nobody.
    isShared: config.role === 'gateway',
    limits: { ...fixedKeyLimits, lookupMsMax: config.fixed.key_lookup_ms_max },
  })
}
