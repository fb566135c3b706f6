import { AppError } from '../lib/errors.ts'

/** One thing wrong with a configuration. `path` is as in the file, for example `server.port`. */
export type ConfigProblem = { path: string; message: string }

export class ConfigError extends AppError {
  readonly problems: readonly ConfigProblem[]

  constructor(problems: readonly ConfigProblem[]) {
    super('CONFIG_INVALID', 'The configuration is not valid.', {
      meta: problems.map(({ path, message }) => `${path}: ${message}`),
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
