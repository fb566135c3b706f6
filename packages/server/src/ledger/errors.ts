import { AppError } from '../lib/errors.ts'

/** A block is to be taken back, but what it changed is no longer known. */
export class UndoMissingError extends AppError {
  constructor({ number, hash }: { number: number; hash: string }) {
    super('LEDGER_UNDO_MISSING', 'A block cannot be taken back: its undo record is not kept.', {
      meta: [`Block: ${number} ${hash}`],
    })
  }
}

/** Undo bytes that were not written by this version, or are damaged. */
export class UndoMalformedError extends AppError {
  constructor({ fault }: { fault: string }) {
    super('LEDGER_UNDO_MALFORMED', 'An undo record cannot be read.', { meta: [`Fault: ${fault}`] })
  }
}
