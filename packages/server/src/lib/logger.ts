import { type Logger as PinoLogger, pino } from 'pino'

export type Logger = PinoLogger
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent'

/** One JSON line per fact, on standard error so that command output stays clean. */
export function createLogger(level: LogLevel): Logger {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, messageKey: 'msg' },
    pino.destination({ dest: 2, sync: true }),
  )
}
