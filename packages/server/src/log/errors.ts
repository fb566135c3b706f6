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

export class LogEntryTooLargeError extends AppError {
  constructor({ sizeBytes, entryBytesMax }: { sizeBytes: number; entryBytesMax: number }) {
    super('LOG_ENTRY_TOO_LARGE', 'Log entry is larger than the limit.', {
      meta: [`Size: at least ${sizeBytes} bytes`, `Limit: ${entryBytesMax} bytes (entryBytesMax)`],
    })
  }
}
