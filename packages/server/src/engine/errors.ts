import { AppError } from '../lib/errors.ts'

/**
 * The block to revert is too old to be undone; the caller reloads a snapshot and replays the log.
 */
export class ReorgTooDeepError extends AppError {
  constructor(facts: { number: number; hash: string; held: number; depthMax: number }) {
    super('REORG_TOO_DEEP', 'The block to revert is older than the blocks the engine can undo.', {
      meta: [
        `Block: ${facts.number} ${facts.hash}`,
        `Held: ${facts.held} blocks`,
        `Limit: ${facts.depthMax} blocks`,
      ],
    })
  }
}

export class SnapshotNotFinalError extends AppError {
  constructor(facts: { head: number; finalized: number }) {
    super('SNAPSHOT_NOT_FINAL', 'A snapshot holds finalized blocks only.', {
      meta: [`Head: ${facts.head}`, `Finalized: ${facts.finalized}`],
    })
  }
}

export class SnapshotUnreadableError extends AppError {
  constructor(reason: string) {
    super('SNAPSHOT_UNREADABLE', 'The engine snapshot cannot be read.', { meta: [reason] })
  }
}

/** A page of the image cannot be read: the market must be loaded again from the snapshot. */
export class ImageDamagedError extends AppError {
  constructor(facts: { file: string; what: string; at: number; cause?: unknown }) {
    super('IMAGE_DAMAGED', 'An image of the market differs from what was written to disk.', {
      cause: facts.cause,
      retryable: true,
      meta: [
        `File: ${facts.file}`,
        `Damaged: ${facts.what}, from byte ${facts.at} on`,
        'The image is removed, and the next start reads the snapshot. Check the disk.',
      ],
    })
  }
}

export class SnapshotTooNewError extends AppError {
  constructor({ found, known }: { found: number; known: number }) {
    super('SNAPSHOT_TOO_NEW', 'The market was stored by a newer version of this program.', {
      meta: [
        `Its snapshot has format: ${found}`,
        `Newest known here: ${known}`,
        'Start the newer version again, or restore a backup that this version made. Nothing was changed.',
      ],
    })
  }
}
