import type { ConfigProblem } from '../kinds/configProblem.ts'
import { AppError } from '../lib/errors.ts'

/** Formats a problem with its place, as editors and people find it. */
export function problemText({ path, message, place }: ConfigProblem): string {
  const where = place === undefined ? '' : `line ${place.line}, column ${place.column}: `
  return `${where}${path}: ${message}`
}

export class ConfigError extends AppError {
  readonly problems: readonly ConfigProblem[]

  constructor(problems: readonly ConfigProblem[]) {
    super('CONFIG_INVALID', 'The configuration is not valid.', {
      meta: problems.map(problemText),
    })
    this.problems = problems
  }
}

export class ConfigFileError extends AppError {
  constructor({ file, reason, cause }: { file: string; reason: string; cause?: unknown }) {
    super('CONFIG_FILE_UNREADABLE', 'The configuration file cannot be read.', {
      cause,
      meta: [`File: ${file}`, `Reason: ${reason}`],
    })
  }
}
