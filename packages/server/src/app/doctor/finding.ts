import type { Config } from '../../config/schema/schema.ts'
import type { Logger } from '../../lib/logger.ts'

/** One thing that was looked at. */
export type Finding = {
  /** What of: a chain, one of its nodes, the database, the machine. */
  subject: string
  check: string
  /** `warn`: it works, and could work better. `fail`: a service would not work, or not rightly. */
  level: 'ok' | 'warn' | 'fail'
  text: string
  /** What to do about it; null where nothing is to be done. */
  advice: string | null
}

export type CheckOptions = {
  config: Config
  logger: Logger
  nowMs: () => number
}

/** Looks at one part of what a service needs. What it finds wanting is a finding, never an error. */
export type Check = (options: CheckOptions) => Promise<Finding[]>

/** Makes the findings of one subject. */
export function findingsOf(subject: string) {
  return {
    ok: (check: string, text: string): Finding => ({
      subject,
      check,
      level: 'ok',
      text,
      advice: null,
    }),
    warn: (check: string, text: string, advice: string): Finding => ({
      subject,
      check,
      level: 'warn',
      text,
      advice,
    }),
    fail: (check: string, text: string, advice: string): Finding => ({
      subject,
      check,
      level: 'fail',
      text,
      advice,
    }),
  }
}
