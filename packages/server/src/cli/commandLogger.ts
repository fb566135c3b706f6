import type { Config } from '../config/schema/schema.ts'
import { createLogger, type LogFormat, type Logger } from '../lib/logger.ts'
import { onStopSignals } from '../lib/shutdown.ts'
import { loadFromOptions } from './configOptions.ts'
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

/** Runs a long task that a signal ends early and in order. */
export async function untilStopped<result>(
  options: Record<string, unknown>,
  context: CliContext,
  run: (config: Config, given: { logger: Logger; signal: AbortSignal }) => Promise<result>,
): Promise<result> {
  const { config } = loadFromOptions(options, context)
  const stop = new AbortController()
  const ignoreSignals = onStopSignals(context.signals, {
    onStop: (signal) => stop.abort(signal),
    exit: context.exit,
    nowMs: () => context.nowMs(),
  })
  try {
    return await run(config, { logger: commandLogger(config, context), signal: stop.signal })
  } finally {
    ignoreSignals()
  }
}
