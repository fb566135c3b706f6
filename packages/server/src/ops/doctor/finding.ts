import type { Config } from '../../config/schema/schema.ts'
import type { Logger } from '../../lib/logger.ts'

/** Result of one check. */
export type DoctorFinding = {
  /** The checked thing: a chain, one of its nodes, the database, or the machine. */
  subject: string
  check: string
  /** `warn`: works, but could work better. `fail`: a service would not work, or not correctly. */
  level: 'ok' | 'warn' | 'fail'
  text: string
  /** What the operator can do about it; null: nothing is needed. */
  advice: string | null
}

export type DoctorCheckOptions = {
  config: Config
  logger: Logger
  nowMs: () => number
}

/** Checks one dependency of a service. Problems are returned as findings, never thrown. */
export type DoctorCheck = (options: DoctorCheckOptions) => Promise<DoctorFinding[]>

/** Returns constructors for findings about one subject. */
export function findingsOf(subject: string) {
  return {
    ok: (check: string, text: string): DoctorFinding => ({
      subject,
      check,
      level: 'ok',
      text,
      advice: null,
    }),
    warn: (check: string, text: string, advice: string): DoctorFinding => ({
      subject,
      check,
      level: 'warn',
      text,
      advice,
    }),
    fail: (check: string, text: string, advice: string): DoctorFinding => ({
      subject,
      check,
      level: 'fail',
      text,
      advice,
    }),
  }
}
