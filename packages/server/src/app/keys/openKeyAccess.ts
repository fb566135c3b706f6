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

/** Opens key checks for the running service. Close them before the store. */
export function openKeyAccess(config: Config, options: OpenKeyAccessOptions): OpenKeyAccess {
  return createKeyAccess({
    ...options,
    plans: keyPlansOf(config),
    // Several gateways serve the same keys, so usage is shared. An indexer serves no keys.
    isShared: config.role === 'gateway',
    limits: { ...fixedKeyLimits, lookupMsMax: config.fixed.key_lookup_ms_max },
  })
}
