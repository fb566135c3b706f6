import { AppError } from '../../lib/errors.ts'

/** The requested rows do not exist, or the request makes no sense. */
export class ExportInputError extends AppError {
  constructor(message: string, ...meta: string[]) {
    super('EXPORT_INPUT', message, { meta })
  }
}

/** Missing folder, permission, disk space, or the file already exists. */
export class ExportFileError extends AppError {
  constructor({ path, cause }: { path: string; cause?: NodeJS.ErrnoException }) {
    const detail = cause?.message ?? 'It is there already, and is left alone.'
    super('EXPORT_FILE', 'The file cannot be written.', {
      cause,
      meta: [`File: ${path}`, `Detail: ${detail}`],
    })
  }
}

export class ExportStoppedError extends AppError {
  constructor() {
    super('EXPORT_STOPPED', 'The export was stopped. No file was written.', { retryable: true })
  }
}
