import type { Config } from '../config/schema/schema.ts'
import { createLogger, type Logger, type LogLook } from '../lib/logger.ts'
import type { CliContext } from './context.ts'

/** Lines for people where they are read by one, JSON for everybody else, unless the config says which. */
export function logLookOf(
  { log }: Pick<Config, 'log'>,
  { stderr }: Pick<CliContext, 'stderr'>,
): LogLook {
  const { isTTY: isTerminal, hasColors = false } = stderr
  const isText = log.format === 'text' || (log.format === 'auto' && isTerminal)
  return { format: isText ? 'text' : 'json', isTerminal, hasColors }
}

/**
 * The log of a command. By itself only the service writes of what goes well, where nobody looks on: on a terminal the
 * steps of a start say it, and who lists keys wants the keys.
 */
export function commandLogger(
  config: Pick<Config, 'log'>,
  context: Pick<CliContext, 'stderr'>,
  { isService = false }: { isService?: boolean } = {},
): Logger {
  const look = logLookOf(config, context)
  const { level } = config.log
  const quiet = !isService || (look.format === 'text' && look.isTerminal)
  return createLogger(level === 'auto' ? (quiet ? 'warn' : 'info') : level, look)
}
