import { AppError } from '../lib/errors.ts'
import type { BlockRef } from '../model/block.ts'

export class DevnetMissingError extends AppError {
  constructor({ missing, cause }: { missing: readonly string[]; cause?: unknown }) {
    super(
      'DEVNET_MISSING',
      'No chains are configured, and the local chain is not installed here.',
      {
        cause,
        meta: [
          `Missing: ${missing.join(', ')}`,
          'Give a config file with your own chains: chaintape start --config FILE',
          'Or install the local chain too: npm ci, without --omit=optional',
        ],
      },
    )
  }
}

export class DevnetFailedError extends AppError {
  constructor({ reason }: { reason: string }) {
    super('DEVNET_FAILED', 'The local chain does not run.', { meta: [`Reason: ${reason}`] })
  }
}

export class DevnetUnstableError extends AppError {
  constructor({ restartsMax, periodS }: { restartsMax: number; periodS: number }) {
    super('DEVNET_UNSTABLE', 'The local chain ends by itself again and again.', {
      meta: [
        `Restarts: ${restartsMax} within ${periodS} s (devnet.restarts_max, devnet.restarts_period_s)`,
        'The log above has what it said. Memory it cannot get is the usual cause: a lower devnet.blocks_max needs less.',
      ],
    })
  }
}

export class ChainStoppedError extends AppError {
  constructor({ chain, cause }: { chain: string; cause: unknown }) {
    const { code, shortMessage, retryable } = factsOf(cause)
    super('CHAIN_STOPPED', `Indexing of "${chain}" stopped.`, {
      cause,
      retryable,
      meta: [`Reason: ${code}: ${shortMessage}`],
    })
  }
}

/** A stored, unverified block proved wrong. Everything from it on is read from the chain again. */
export class BlockUntrueError extends AppError {
  readonly since: Omit<BlockRef, 'timeS'>

  constructor({ chain, since }: { chain: string; since: Omit<BlockRef, 'timeS'> }) {
    super('CHAIN_BLOCK_UNTRUE', `A stored block of "${chain}" is not what the chain says.`, {
      meta: [`Block: ${since.number} ${since.hash}`],
    })
    this.since = since
  }
}

export class BackfillStartError extends AppError {
  constructor({ chain }: { chain: string }) {
    super('BACKFILL_START', `There is no block to backfill "${chain}" from.`, {
      meta: ['Give the first block: --from N, or start_block of the chain in the config.'],
    })
  }
}

/** A thread did not answer a call: it ended, hung or was stopped, or the caller aborted. */
export class ThreadCallError extends AppError {
  readonly reason: string

  constructor({ name, reason, cause }: { name: string; reason: string; cause?: unknown }) {
    super('THREAD_CALL', 'A thread did not answer.', {
      cause,
      meta: [`Thread: ${name}`, `Reason: ${reason}`],
      retryable: true,
    })
    this.reason = reason
  }
}

/** A thread reached its memory limit and was ended. Its replacement starts with an empty heap. */
export class ThreadMemoryError extends AppError {
  constructor({ name, megabytesMax }: { name: string; megabytesMax: number }) {
    super('THREAD_OUT_OF_MEMORY', 'A thread needs more memory than its limit.', {
      meta: [
        `Thread: ${name}`,
        `Limit: ${megabytesMax} MB`,
        'A warning about a large answer before this names the endpoint.',
      ],
      retryable: true,
    })
  }
}

/** An error as plain data, so that it survives posting to another thread, which drops its class. */
export type ErrorFacts = {
  code: string
  shortMessage: string
  meta: readonly string[]
  retryable: boolean
}

export function factsOf(error: unknown): ErrorFacts {
  if (error instanceof AppError) {
    const { code, shortMessage, meta, retryable } = error
    return { code, shortMessage, meta, retryable }
  }
  const shortMessage = error instanceof Error ? error.message : String(error)
  const meta = error instanceof Error && error.stack !== undefined ? [error.stack] : []
  return { code: 'INTERNAL', shortMessage, meta, retryable: false }
}

export function errorOfFacts({ code, shortMessage, meta, retryable }: ErrorFacts): AppError {
  return new AppError(code, shortMessage, { meta, retryable })
}

export class DecodeInputError extends AppError {
  constructor({ source, reason, cause }: { source: string; reason: string; cause: unknown }) {
    super('DECODE_INPUT', 'There is nothing to decode in what was given.', {
      cause,
      meta: [`Given: ${source === '-' ? 'standard input' : source}`, `Reason: ${reason}`],
    })
  }
}

export class NoTransactionsError extends AppError {
  constructor(source: string) {
    super('DECODE_NO_TRANSACTIONS', 'No object in it is a transaction with what it did.', {
      meta: [
        `Given: ${source === '-' ? 'standard input' : source}`,
        'What getTransaction and getBlock answer has `meta` and `transaction`.',
      ],
    })
  }
}

export class DecodeEncodingError extends AppError {
  constructor(source: string) {
    super('DECODE_ENCODING', 'A transaction in it does not have its instructions.', {
      meta: [
        `Given: ${source === '-' ? 'standard input' : source}`,
        'Ask the node for blocks with transactionDetails full.',
      ],
    })
  }
}

export class NoLogsError extends AppError {
  constructor(source: string) {
    super('DECODE_NO_LOGS', 'No object in it has logs that name their transaction.', {
      meta: [
        `Given: ${source === '-' ? 'standard input' : source}`,
        'Receipts have them, as a node answers with them for a transaction or a block.',
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
    super('LISTEN_LOST', 'The service cannot be listened to.', {
      meta: [`Address: ${address}`, `Reason: ${reason}`],
      retryable: true,
    })
  }
}

export class NothingStoredError extends AppError {
  constructor({ dataDir }: { dataDir: string }) {
    super('NOTHING_STORED', 'There is no data here, and this command makes none.', {
      meta: [
        `Data directory: ${dataDir}`,
        'Name the one of the service: --data-dir FOLDER, or --config FILE as it was started with.',
        'A service that was never started makes it: chaintape start',
      ],
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
