import { createLogger, type Logger, type LoggerOptions } from '../../lib/logger.ts'

/** Creates the logger of a chain's worker: every line has the key `chain`, exactly once. */
export function createChainLogger({ level, look }: LoggerOptions, chain: string): Logger {
  // Not a binding of the child: pino writes a bound key a second time if the logged facts have it.
  const log = (facts: object) => ({ chain, ...facts })
  return createLogger(level, look).child({}, { formatters: { log } })
}
