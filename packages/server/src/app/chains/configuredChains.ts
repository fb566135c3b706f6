import { join } from 'node:path'
import type { Config } from '../../config/schema/schema.ts'
import { chainKindOf } from '../../kinds/chainKinds.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import { pipelineLimitsOf } from '../pipeline/pipelineLimits.ts'

/** What each chain of the config is opened with. */
export function setupsOf(config: Config): ChainSetup[] {
  const limits = pipelineLimitsOf(config)
  const paging = {
    directory: join(config.data_dir, 'pages'),
    bytesMax: config.limits.market_bytes_max,
  }
  return Object.entries(config.chains).map(([name, chain]) => {
    const setup = chainKindOf(chain).setupOf(name, chain, limits)
    return { ...setup, profile: { ...setup.profile, paging } }
  })
}
