import { AppError } from '../lib/errors.ts'
import type { FirstIgnoredBlock } from '../model/trust/ignoredContracts.ts'

/** A request that a block cannot be resolved without was aborted before any node answered. */
export class ReadUnansweredError extends AppError {
  constructor({ what, attempts, cause }: { what: string; attempts: number; cause: unknown }) {
    super('RESOLVE_UNANSWERED', 'No node answered a request that a block needs.', {
      cause,
      meta: [`Asked for: ${what}`, `Attempts: ${attempts}`],
      retryable: true,
    })
  }
}

/**
 * A block resolved by an earlier run cannot be reverted, because the records it created were not
 * passed in.
 */
export class CreatedRecordsMissingError extends AppError {
  constructor({ number, hash }: { number: number; hash: string }) {
    super(
      'RESOLVE_CREATED_UNKNOWN',
      'A block cannot be reverted: the records it created are unknown.',
      {
        meta: [`Block: ${number} ${hash}`],
      },
    )
  }
}

/** The node that read a token's transfers is on another branch than the scan's last block. */
export class ScanOnOtherBranchError extends AppError {
  constructor({ token, block }: { token: string; block: string }) {
    super('RESOLVE_HISTORY_TORN', "A token's transfers were read from a node on another branch.", {
      meta: [`Token: ${token}`, `Block: ${block}`],
      retryable: true,
    })
  }
}

/** The nodes refuse a token's older transfers; retrying soon would not help. */
export class TransfersRefusedError extends AppError {
  constructor({ token, block, cause }: { token: string; block: number; cause: unknown }) {
    super('RESOLVE_HISTORY_REFUSED', "The nodes refuse a token's older transfers.", {
      cause,
      meta: [`Token: ${token}`, `From block: ${block}`],
    })
  }
}

/**
 * An ignored contract turned out to be a pool: blocks are re-read from `since` to add its events.
 */
export class IgnoredPoolFoundError extends AppError {
  readonly since: FirstIgnoredBlock

  constructor({ pool, since }: { pool: string; since: FirstIgnoredBlock }) {
    super(
      'RESOLVE_POOL_PROVED',
      'Events of a pool were ignored, because nodes did not identify it as a pool.',
      {
        meta: [`Pool: ${pool}`, `First block: ${since.number} ${since.hash}`],
      },
    )
    this.since = since
  }
}
