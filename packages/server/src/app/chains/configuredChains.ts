import { join } from 'node:path'
import { marketMemoryOf } from '../../config/schema/marketMemory.ts'
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

/** Part of the market memory for served markets. Engines that write snapshots have half as much. */
const servedShare = 2 / 3

/** Gives its market memory and a place for what exceeds it. */
export function withPaging<setup extends Pick<ChainSetup, 'profile'>>(
  setup: setup,
  config: Config,
): setup {
  const bytesMax = Math.floor(marketMemoryOf(config) * servedShare)
  const paging = { directory: pagesDirectoryOf(config), bytesMax }
  return { ...setup, profile: { ...setup.profile, paging } }
}
