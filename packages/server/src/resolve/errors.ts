import { AppError } from '../lib/errors.ts'
import type { FirstLeftOut } from '../model/trust/leftOut.ts'

/** The waiting for what a block cannot do without was ended before anybody answered. */
export class ReadUnansweredError extends AppError {
  constructor({ what, attempts, cause }: { what: string; attempts: number; cause: unknown }) {
    super('RESOLVE_UNANSWERED', 'A block needs something that nobody answered.', {
      cause,
      meta: [`Asked for: ${what}`, `Attempts: ${attempts}`],
      retryable: true,
    })
  }
}

/** A block of an earlier run is to be reverted, but nobody said what it had created. */
export class CreatedUnknownError extends AppError {
  constructor({ number, hash }: { number: number; hash: string }) {
    super('RESOLVE_CREATED_UNKNOWN', 'A block cannot be reverted: what it made is not known.', {
      meta: [`Block: ${number} ${hash}`],
    })
  }
}

/** Nodes did not agree on the block up to which a token's transfers were asked for. */
export class HistoryTornError extends AppError {
  constructor({ token, block }: { token: string; block: string }) {
    super('RESOLVE_HISTORY_TORN', "A token's transfers were read from a node on another branch.", {
      meta: [`Token: ${token}`, `Block: ${block}`],
      retryable: true,
    })
  }
}

/** The nodes do not give a token's older transfers, and will not when they are asked again soon. */
export class HistoryRefusedError extends AppError {
  constructor({ token, block, cause }: { token: string; block: number; cause: unknown }) {
    super('RESOLVE_HISTORY_REFUSED', "The nodes refuse a token's older transfers.", {
      cause,
      meta: [`Token: ${token}`, `From block: ${block}`],
    })
  }
}

/** A contract was found to be no pool and was one: what was left out for it is read again, from that block on. */
export class PoolProvedError extends AppError {
  readonly since: FirstLeftOut

  constructor({ pool, since }: { pool: string; since: FirstLeftOut }) {
    super('RESOLVE_POOL_PROVED', 'Events of a pool were left out: it was found to be none.', {
      meta: [`Pool: ${pool}`, `First block: ${since.number} ${since.hash}`],
    })
    this.since = since
  }
}
