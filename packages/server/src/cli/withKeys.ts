import type { Keys } from '../app/keys/openKeys.ts'
import { createLogger } from '../lib/logger.ts'
import { loadFromOptions } from './configOptions.ts'
import type { CliContext } from './context.ts'

/** Flags of the commands that work on the store. */
export const storeFlags = ['data-dir', 'database-url', 'log-level']

/** Runs something on the keys in the store and closes it whatever happens. */
export async function withKeys<result>(
  options: Record<string, unknown>,
  context: CliContext,
  run: (keys: Keys) => Promise<result>,
): Promise<result> {
  const { config } = loadFromOptions(options, context)
  const { openKeys } = await context.loadApp()
  const logger = createLogger(config.log.level)
  const keys = await openKeys(config, { logger, clock: context })
  try {
    return await run(keys)
  } finally {
    await keys.close()
  }
}
