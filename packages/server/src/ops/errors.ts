import { AppError } from '../lib/errors.ts'

export class BackfillStartError extends AppError {
  constructor({ chain }: { chain: string }) {
    super('BACKFILL_START', `The backfill of "${chain}" has no first block.`, {
      meta: ['Set the first block: --from N, or start_block of the chain in the config.'],
    })
  }
}

export class DecodeInputError extends AppError {
  constructor({ source, reason, cause }: { source: string; reason: string; cause: unknown }) {
    super('DECODE_INPUT', 'The input contains nothing to decode.', {
      cause,
      meta: [`Given: ${source === '-' ? 'standard input' : source}`, `Reason: ${reason}`],
    })
  }
}

export class NoTransactionsError extends AppError {
  constructor(source: string) {
    super('DECODE_NO_TRANSACTIONS', 'The input contains no transaction with its metadata.', {
      meta: [
        `Given: ${source === '-' ? 'standard input' : source}`,
        'Expected: results of getTransaction or getBlock, with `meta` and `transaction`.',
      ],
    })
  }
}

export class DecodeEncodingError extends AppError {
  constructor(source: string) {
    super('DECODE_ENCODING', 'A transaction in the input lacks its instructions.', {
      meta: [
        `Given: ${source === '-' ? 'standard input' : source}`,
        'Ask the node for blocks with transactionDetails full.',
      ],
    })
  }
}

export class NoLogsError extends AppError {
  constructor(source: string) {
    super('DECODE_NO_LOGS', 'The input contains no logs that name their transaction.', {
      meta: [
        `Given: ${source === '-' ? 'standard input' : source}`,
        'Expected: receipts, as a node returns them for a transaction or a block.',
      ],
    })
  }
}

export class TransactionMissingError extends AppError {
  constructor(hash: string) {
    super('TRANSACTION_MISSING', 'The node has no receipt of this transaction.', {
      meta: [`Transaction: ${hash}`],
    })
  }
}

export class ListenRefusedError extends AppError {
  constructor({ reason }: { reason: string }) {
    super('LISTEN_REFUSED', 'The service refused the subscription.', {
      meta: [`Reason: ${reason}`],
    })
  }
}

export class ListenLostError extends AppError {
  constructor({ address, reason }: { address: string; reason: string }) {
    super('LISTEN_LOST', 'The connection to the service failed.', {
      meta: [`Address: ${address}`, `Reason: ${reason}`],
      retryable: true,
    })
  }
}

/** The node answered with an error instead of a result. */
export class NodeRefusedError extends AppError {
  constructor({ method, reason }: { method: string; reason: string }) {
    super('NODE_REFUSED', `The node refused ${method}: ${reason.slice(0, 200)}`)
  }
}

export class NothingAuditedError extends AppError {
  constructor({ chain }: { chain: string }) {
    super('AUDIT_NOT_STORED', `Nothing is stored of "${chain}" yet.`)
  }
}
