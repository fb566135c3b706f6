import { join } from 'node:path'
import { marketMemoryOf } from '../../config/schema/marketMemory.ts'
import type { Config } from '../../config/schema/schema.ts'
import { configSecretsOf } from '../../config/secretsOf.ts'
import { chainKindOf } from '../../kinds/chainKinds.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import { pipelineLimitsOf } from './pipelineLimits.ts'

/** Returns the setup of each configured chain. */
export function configuredSetups(config: Config): ChainSetup[] {
  const limits = pipelineLimitsOf(config)
  const secrets = configSecretsOf(config)
  return Object.entries(config.chains).map(([name, chain]) => ({
    ...limitMarketMemory(chainKindOf(chain).setupOf(name, chain, limits), config),
    secrets,
  }))
}

/** Directory of page files, which hold what exceeds the market memory. */
export function pagesDirectoryOf({ data_dir }: Pick<Config, 'data_dir'>): string {
  return join(data_dir, 'pages')
}

/** Share of the market memory for served markets. Engines that write snapshots get half as much. */
const servedShare = 2 / 3

/** Adds the market's memory limit and its directory for page files. */
export function limitMarketMemory<setup extends Pick<ChainSetup, 'profile'>>(
  setup: setup,
  config: Config,
): setup {
  const bytesMax = Math.floor(marketMemoryOf(config) * servedShare)
  const paging = { directory: pagesDirectoryOf(config), bytesMax }
  return { ...setup, profile: { ...setup.profile, paging } }
}
