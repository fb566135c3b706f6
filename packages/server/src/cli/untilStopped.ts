import type { Config } from '../config/schema/schema.ts'
import type { Logger } from '../lib/logger.ts'
import { onStopSignals } from '../lib/shutdown.ts'
import { commandLogger } from './commandLogger.ts'
import { loadFromOptions } from './configOptions.ts'
import type { CliContext } from './context.ts'

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
