import { join } from 'node:path'
import type { Config } from '../../config/schema/schema.ts'
import { chainKindOf } from '../../kinds/chainKinds.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import { pipelineLimitsOf } from '../pipeline/pipelineLimits.ts'

/** What each chain of the config is opened with. */
export function setupsOf(config: Config): ChainSetup[] {
  const limits = pipelineLimitsOf(config)
  return Object.entries(config.chains).map(([name, chain]) =>
    withPaging(chainKindOf(chain).setupOf(name, chain, limits), config),
  )
}

/** Its market may be larger than memory. */
export function withPaging<setup extends Pick<ChainSetup, 'profile'>>(
  setup: setup,
  { data_dir, fixed }: Config,
): setup {
  const paging = { directory: join(data_dir, 'pages'), bytesMax: fixed.market_bytes_max }
  return { ...setup, profile: { ...setup.profile, paging } }
}
