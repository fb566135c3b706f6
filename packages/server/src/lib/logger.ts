import { type Logger as PinoLogger, pino } from 'pino'
import { escapeText } from './escapeText.ts'

export type Logger = PinoLogger
type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent'

/** Format of lines: a JSON object each, or text for people. */
export type LogFormat = {
  format: 'json' | 'text'
  /** A progress line may be below: text replaces it, and it is drawn again. */
  isTerminal: boolean
  hasColors: boolean
}

/** Everything another thread needs to log in the same form. */
export type LoggerOptions = { level: LogLevel; look: LogFormat }

const jsonLines: LogFormat = { format: 'json', isTerminal: false, hasColors: false }
const standardError = 2
const looks = new WeakMap<object, LogFormat>()

/** Logs to standard error, so that command output stays clean. */
export function createLogger(level: LogLevel, look: LogFormat = jsonLines): Logger {
  const { isoTime } = pino.stdTimeFunctions
  const options = { level, base: null, timestamp: isoTime, messageKey: 'msg' }
  const destination = pino.destination({ dest: standardError, sync: true })
  // A closed terminal causes EIO. pino itself handles EPIPE, a pipe without a reader.
  let isGone = false
  destination.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EIO') throw error
    isGone = true
  })
  const logger = pino(options, {
    write: (line) => void (isGone || destination.write(formatLogLine(line, look))),
  })
  looks.set(logger, look)
  return logger
}

export function loggerOptionsOf(logger: Logger): LoggerOptions {
  let look: LogFormat | undefined
  // A child logger has its parent as prototype.
  for (let from: object | null = logger; from !== null; from = Object.getPrototypeOf(from))
    look ??= looks.get(from)
  return { level: logger.level as LogLevel, look: look ?? jsonLines }
}

const levelWords: readonly [least: number, word: string, colour: number][] = [
  [50, 'error', 31],
  [40, 'warn', 33],
  [30, 'info', 36],
  [0, 'debug', 90],
]

/** A line of the log: pino's JSON, or text with time, level, message and facts. */
export function formatLogLine(line: string, { format, isTerminal, hasColors }: LogFormat): string {
  if (format === 'json') return `${escapeText(line.trimEnd())}\n`
  const { level, time, msg, err, ...facts } = JSON.parse(line) as Record<string, unknown>
  const [, word, colour] = levelWords.find(([least]) => Number(level) >= least)!
  const painted = (code: number, text: string) => (hasColors ? `\x1b[${code}m${text}\x1b[0m` : text)
  const reason = (err as { message?: string } | undefined)?.message
  const parts = [
    painted(90, String(time).slice(11, 19)),
    painted(colour, word),
    escapeText(oneLine(String(msg))),
    ...(reason === undefined ? [] : [`(${escapeText(oneLine(reason))})`]),
    ...Object.entries(facts).map(([name, value]) =>
      painted(90, escapeText(`${name}=${factText(value)}`)),
    ),
  ]
  return `${isTerminal ? clearLine : ''}${parts.join(' ')}\n`
}

const clearLine = '\r\x1b[2K'

function factText(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  const line = oneLine(value)
  return /[\s"=]/.test(line) ? JSON.stringify(line) : line
}

/** Joins the lines of a text by spaces. */
export function oneLine(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ')
}
