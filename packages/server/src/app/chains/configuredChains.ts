import { join } from 'node:path'
import type { Config } from '../../config/schema/schema.ts'
import { secretsOf } from '../../config/secretsOf.ts'
import { chainKindOf } from '../../kinds/chainKinds.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import { pipelineLimitsOf } from '../pipeline/pipelineLimits.ts'

/** What each chain of the config is opened with. */
export function setupsOf(config: Config): ChainSetup[] {
  const limits = pipelineLimitsOf(config)
  const secrets = secretsOf(config)
  return Object.entries(config.chains).map(([name, chain]) => ({
    ...withPaging(chainKindOf(chain).setupOf(name, chain, limits), config),
    secrets,
  }))
}

/** Where the pages of markets are. */
export function pagesDirectoryOf({ data_dir }: Pick<Config, 'data_dir'>): string {
  return join(data_dir, 'pages')
}

/** Its market may be larger than memory. */
export function withPaging<setup extends Pick<ChainSetup, 'profile'>>(
  setup: setup,
  config: Config,
): setup {
  const paging = { directory: pagesDirectoryOf(config), bytesMax: config.fixed.market_bytes_max }
  return { ...setup, profile: { ...setup.profile, paging } }
}
