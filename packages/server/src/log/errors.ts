import { AppError } from '../lib/errors.ts'

/** Bytes that are not an entry this version writes. Replaying past it would make another market, so nobody should. */
export class LogEntryCorruptError extends AppError {
  /** Byte of the entry at which reading stopped. */
  readonly offset: number

  constructor({ offset, reason }: { offset: number; reason: string }) {
    super('LOG_ENTRY_CORRUPT', 'Log entry cannot be read.', {
      meta: [`Offset: ${offset}`, `Reason: ${reason}`],
    })
    this.offset = offset
  }
}

export class LogEntryTooNewError extends AppError {
  constructor({ found, known }: { found: number; known: number }) {
    super('LOG_ENTRY_TOO_NEW', 'The log was written by a newer version of this program.', {
      meta: [
        `An entry has version: ${found}`,
        `Newest known here: ${known}`,
        'Start the newer version again, or restore a backup that this version made. Nothing was changed.',
      ],
    })
  }
}

export class LogEntryTooLargeError extends AppError {
  constructor({ sizeBytes, entryBytesMax }: { sizeBytes: number; entryBytesMax: number }) {
    super('LOG_ENTRY_TOO_LARGE', 'Log entry is larger than the limit.', {
      meta: [`Size: at least ${sizeBytes} bytes`, `Limit: ${entryBytesMax} bytes (entryBytesMax)`],
    })
  }
}
