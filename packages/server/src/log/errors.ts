import { AppError } from '../lib/errors.ts'

/** Bytes that no known version of an entry has. Skipping the entry would give another market. */
export class LogEntryCorruptError extends AppError {
  /** Offset at which reading stopped. */
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
        'Start the newer version, or restore a backup that this version made. Nothing was changed.',
      ],
    })
  }
}

/** Messages of a stream from before 1.0.0, whose version numbers have other meanings. */
export class LogFromPrereleaseError extends AppError {
  constructor({ stream }: { stream: string }) {
    super('LOG_UNRELEASED', 'The log on NATS was written by a version from before 1.0.0.', {
      meta: [
        `Stream: ${stream}`,
        `Delete it (nats stream rm ${stream}) or set another nats.prefix, and start over with an empty database.`,
        'Nothing was changed.',
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

export class LogGapError extends AppError {
  constructor({ chain, readSeq, foundSeq }: { chain: string; readSeq: number; foundSeq: number }) {
    super('LOG_GAP', `The log of "${chain}" has a hole: the market cannot be rebuilt from it.`, {
      meta: [
        `Rebuilt up to entry: ${readSeq}`,
        `Found next: ${foundSeq}`,
        'No snapshot that is whole covers what is between them; the log above names those that were passed over.',
        'Restore a backup, or start with another data directory. Nothing was changed.',
      ],
    })
  }
}

/** Nothing was appended: another writer has appended since. */
export class LogWriterReplacedError extends AppError {
  constructor(place: { chain: string; expectedSeq: number; lastSeq: number }) {
    super('LOG_MOVED', `The log of "${place.chain}" does not end where this entry is to go.`, {
      meta: [`Expected last: ${place.expectedSeq}`, `Found last: ${place.lastSeq}`],
    })
  }
}

/** The log's servers are unreachable or have no leader: the same call may succeed later. */
export class NatsUnavailableError extends AppError {
  readonly reason: string

  constructor({
    place,
    reason,
    advice,
  }: { place: string; reason: string; advice?: string | undefined }) {
    super('NATS_UNAVAILABLE', 'The log cannot be reached.', {
      retryable: true,
      meta: [
        `NATS servers: ${place}`,
        `Reason: ${reason}`,
        advice ?? 'They need JetStream (nats-server -js), and of three at least two.',
      ],
    })
    this.reason = reason
  }
}

export class LogBehindStoreError extends AppError {
  constructor(place: { chain: string; lastSeq: number; storedSeq: number }) {
    super('LOG_BEHIND_STORE', `The log of "${place.chain}" ends before what is stored.`, {
      meta: [
        `Log ends with entry: ${place.lastSeq}`,
        `Stored up to entry: ${place.storedSeq}`,
        'The NATS servers have lost what they had acknowledged, or belong to another service.',
        'If they lost it: delete the stream of the chain, and the log goes on behind what is stored. Nothing was changed.',
      ],
    })
  }
}
