import { AppError } from '../lib/errors.ts'
import type { BlockRef } from '../model/block.ts'

export class DevnetMissingError extends AppError {
  constructor({ missing, cause }: { missing: readonly string[]; cause?: unknown }) {
    super('DEVNET_MISSING', 'No chains are configured, and the local chain is not installed.', {
      cause,
      meta: [
        `Missing: ${missing.join(', ')}`,
        'Use a config file with your chains: chaintape start --config FILE',
        'Or install the local chain too: npm ci, without --omit=optional',
      ],
    })
  }
}

export class DevnetFailedError extends AppError {
  constructor({ reason }: { reason: string }) {
    super('DEVNET_FAILED', 'The local chain failed to start.', { meta: [`Reason: ${reason}`] })
  }
}

export class DevnetUnstableError extends AppError {
  constructor({ restartsMax, periodS }: { restartsMax: number; periodS: number }) {
    super('DEVNET_UNSTABLE', 'The local chain keeps failing.', {
      meta: [
        `Restarts: ${restartsMax} within ${periodS} s (devnet.restarts_max, devnet.restarts_period_s)`,
        'See its output in the log above. The usual cause is too little memory: lower devnet.blocks_max.',
      ],
    })
  }
}

export class ChainStoppedError extends AppError {
  constructor({ chain, cause }: { chain: string; cause: unknown }) {
    const { code, shortMessage, retryable } = serializeError(cause)
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
    super('CHAIN_BLOCK_UNTRUE', `A stored block of "${chain}" differs from the chain.`, {
      meta: [`Block: ${since.number} ${since.hash}`],
    })
    this.since = since
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
    super('THREAD_OUT_OF_MEMORY', 'A thread reached its memory limit.', {
      meta: [
        `Thread: ${name}`,
        `Limit: ${megabytesMax} MB`,
        'An earlier log warning about a large answer names the endpoint.',
      ],
      retryable: true,
    })
  }
}

/** An error as plain data, so that it survives posting to another thread, which drops its class. */
export type SerializedError = {
  code: string
  shortMessage: string
  meta: readonly string[]
  retryable: boolean
}

export function serializeError(error: unknown): SerializedError {
  if (error instanceof AppError) {
    const { code, shortMessage, meta, retryable } = error
    return { code, shortMessage, meta, retryable }
  }
  const shortMessage = error instanceof Error ? error.message : String(error)
  const meta = error instanceof Error && error.stack !== undefined ? [error.stack] : []
  return { code: 'INTERNAL', shortMessage, meta, retryable: false }
}

export function deserializeError({
  code,
  shortMessage,
  meta,
  retryable,
}: SerializedError): AppError {
  return new AppError(code, shortMessage, { meta, retryable })
}

export class NothingStoredError extends AppError {
  constructor({ dataDir }: { dataDir: string }) {
    super('NOTHING_STORED', 'No data is stored here, and this command creates none.', {
      meta: [
        `Data directory: ${dataDir}`,
        'Use the same --data-dir FOLDER or --config FILE as the service.',
        'The first start creates it: chaintape start',
      ],
    })
  }
}
