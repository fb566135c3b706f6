import { AppError } from '../lib/errors.ts'
import type { BlockId } from '../model/block.ts'

/** A block has to be reverted, but its undo record is no longer kept. */
export class UndoMissingError extends AppError {
  constructor({ number, hash }: { number: number; hash: string }) {
    super('LEDGER_UNDO_MISSING', 'A block cannot be reverted: its undo record is not kept.', {
      meta: [`Block: ${number} ${hash}`],
    })
  }
}

/** Undo bytes are damaged, so that their block cannot be reverted. */
export class UndoMalformedError extends AppError {
  constructor({ fault }: { fault: string }) {
    super('LEDGER_UNDO_MALFORMED', 'An undo record cannot be read.', { meta: [`Fault: ${fault}`] })
  }
}

export class UndoTooNewError extends AppError {
  constructor({ found, known }: { found: number; known: number }) {
    super('LEDGER_UNDO_TOO_NEW', 'Blocks were stored by a newer version of this program.', {
      meta: [
        `An undo record has version: ${found}`,
        `Newest known here: ${known}`,
        'Start the newer version again, or restore a backup that this version made. Nothing was changed.',
      ],
    })
  }
}

/**
 * A process ended before it had reported all balance changes of its blocks. All blocks after
 * `after` have to be applied again.
 */
export class BalancesUnreportedError extends AppError {
  readonly after: BlockId

  constructor({ chain, after }: { chain: string; after: BlockId }) {
    super(
      'LEDGER_BALANCES_UNTOLD',
      `Balances of stored blocks of "${chain}" were never reported.`,
      {
        meta: [`Blocks after: ${after.number} ${after.hash}`],
      },
    )
    this.after = after
  }
}
