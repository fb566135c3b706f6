import type { Config } from '../../config/schema/schema.ts'
import { chainKindOf } from '../../kinds/chainKinds.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import { pipelineLimitsOf } from '../pipeline/pipelineLimits.ts'

/** What each chain of the config is opened with. */
export function setupsOf(config: Config): ChainSetup[] {
  const limits = pipelineLimitsOf(config)
  return Object.entries(config.chains).map(([name, chain]) =>
    chainKindOf(chain).setupOf(name, chain, limits),
  )
}
