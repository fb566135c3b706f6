import type { Config } from '../config/schema/schema.ts'
import { createLogger, type LogFormat, type Logger } from '../lib/logger.ts'
import type { CliContext } from './context.ts'

/** Returns text for a terminal and JSON otherwise, unless the config chooses. */
export function logLookOf(
  { log }: Pick<Config, 'log'>,
  { stderr }: Pick<CliContext, 'stderr'>,
): LogFormat {
  const { isTTY: isTerminal, hasColors = false } = stderr
  const isText = log.format === 'text' || (log.format === 'auto' && isTerminal)
  return { format: isText ? 'text' : 'json', isTerminal, hasColors }
}

/**
 * The logger of a command. Only the service logs information, and only without a terminal: a
 * terminal shows the steps of a start, and output of other commands stays clean.
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
