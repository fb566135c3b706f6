import { AssertionError } from 'node:assert'
import { AppError } from '../lib/errors.ts'

export class DiskFullError extends AppError {
  constructor({ where, cause }: { where: string; cause?: unknown }) {
    super('STORE_DISK_FULL', 'The disk of the database is full.', {
      cause,
      meta: [`Where: ${where}`, 'Free space or move the data, then start again: nothing is lost.'],
    })
  }
}

export class CorruptStoreError extends AppError {
  constructor({ where, detail, cause }: { where: string; detail: string; cause?: unknown }) {
    super('STORE_CORRUPT', 'The stored data is damaged.', {
      cause,
      meta: [
        `Where: ${where}`,
        `Detail: ${detail}`,
        'Restore a backup, or move the directory away to index from the chain again.',
      ],
    })
  }
}

export class PostgresVersionError extends AppError {
  constructor({ dataDir, found, wanted }: { dataDir: string; found: string; wanted: string }) {
    super(
      'STORE_POSTGRES_VERSION',
      'The data directory belongs to another major version of PostgreSQL.',
      {
        meta: [
          `Directory: ${dataDir}`,
          `Found: PostgreSQL ${found}`,
          `This program brings: PostgreSQL ${wanted}`,
          'Nothing in it was changed. To bring it over, run these two:',
          `chaintape backup market.ctb --data-dir ${dataDir}    with the version of Chaintape that wrote it`,
          `chaintape restore market.ctb --data-dir ${dataDir}.${wanted}    with this one; then start there`,
        ],
      },
    )
  }
}

export class PostgresMissingError extends AppError {
  constructor({ platform, cause }: { platform: string; cause?: unknown }) {
    super('STORE_POSTGRES_MISSING', 'There is no private PostgreSQL for this platform.', {
      cause,
      meta: [
        `Platform: ${platform}`,
        'Install without --omit=optional, or name a server of your own with --database-url.',
      ],
    })
  }
}

export class PostgresStartError extends AppError {
  constructor({ detail, logFile, cause }: { detail: string; logFile: string; cause?: unknown }) {
    super('STORE_POSTGRES_START', 'The private PostgreSQL did not start.', {
      cause,
      meta: [`Detail: ${detail}`, `Its log: ${logFile}`],
      retryable: true,
    })
  }
}

export class PostgresRootError extends AppError {
  constructor({ detail }: { detail: string }) {
    super('STORE_POSTGRES_ROOT', 'PostgreSQL does not run as root here.', {
      meta: [
        `Detail: ${detail}`,
        'Run as an ordinary user, or name a server of your own with --database-url.',
      ],
    })
  }
}

export class DataDirectoryError extends AppError {
  constructor({ path, detail, cause }: { path: string; detail: string; cause?: unknown }) {
    super('STORE_DATA_DIRECTORY', 'The data directory cannot be used.', {
      cause,
      meta: [`Directory: ${path}`, `Detail: ${detail}`],
    })
  }
}

export class StoreUnreachableError extends AppError {
  constructor({ where, cause }: { where: string; cause?: unknown }) {
    super('STORE_UNREACHABLE', 'The database does not answer.', {
      cause,
      meta: [`Where: ${where}`, `Detail: ${messageOf(cause)}`],
      retryable: true,
    })
  }
}

/** A server is behind the one that was read before: a replica was promoted, or replaced it. */
export class StoreBehindError extends AppError {
  constructor(place: { chainId: number; found: number; wanted: number; isFilled: boolean }) {
    super('STORE_BEHIND', 'The database lacks entries that it had.', {
      retryable: place.isFilled,
      meta: [
        `Chain: ${place.chainId}`,
        `Its last entry: ${place.found}`,
        `Wanted: ${place.wanted} or more`,
        place.isFilled
          ? 'An indexer stores what the log has beyond it; until then no history is read there.'
          : 'What was served and is not there any more is read from the chain again: start again.',
      ],
    })
  }
}

export class StoreTooOldError extends AppError {
  constructor({ found, wanted }: { found: number; wanted: number }) {
    super('STORE_POSTGRES_TOO_OLD', 'The database server is too old.', {
      meta: [`Found: PostgreSQL ${found}`, `Wanted: ${wanted} or newer`],
    })
  }
}

export class SchemaTooNewError extends AppError {
  constructor({ found, known }: { found: number; known: number }) {
    super('STORE_SCHEMA_TOO_NEW', 'The database was written by a newer version of this program.', {
      meta: [
        `Its schema: ${found}`,
        `Newest known here: ${known}`,
        'Start the newer version again, or restore a backup that this version made. Nothing was changed.',
      ],
    })
  }
}

/** Cannot be converted: the numbers of its formats have other meanings since 1.0.0. */
export class SchemaUnreleasedError extends AppError {
  constructor() {
    super('STORE_UNRELEASED', 'The database was written by a version from before 1.0.0.', {
      meta: [
        'Start over with another --data-dir or database: the market is read from the chain again.',
        'API keys are created again (chaintape keys create). Nothing was changed.',
      ],
    })
  }
}

/** Another process now writes these chains: this one lost contact for longer than its lease. */
export class LeaseLostError extends AppError {
  constructor({ chains }: { chains: readonly string[] }) {
    super('LEASE_LOST', 'Another indexer has taken over.', {
      retryable: true,
      meta: [
        `Chains: ${chains.join(', ')}`,
        'This one was silent for too long: it was stopped, or cut off from the database.',
        'Nothing that it still had to store is missing. Start it again, and it stands by.',
      ],
    })
  }
}

export class SchemaOldError extends AppError {
  constructor({ found, known }: { found: number; known: number }) {
    super('STORE_SCHEMA_OLD', 'The database was written by an older version of this program.', {
      meta: [
        `Its schema: ${found}`,
        `Known here: ${known}`,
        'A start of this version brings it up to date; until then use the version that runs on it. Nothing was changed.',
      ],
    })
  }
}

export class WriterLockedError extends AppError {
  constructor({ chain }: { chain: string }) {
    super('STORE_WRITER_LOCKED', `Another process is writing the chain "${chain}".`, {
      meta: ['Stop that process, or give this one another database.'],
    })
  }
}

export class CursorMismatchError extends AppError {
  constructor({ chain, expected, found }: { chain: string; expected: number; found: number }) {
    super('STORE_CURSOR_MISMATCH', `The stored chain "${chain}" is not where this write begins.`, {
      meta: [`Stored sequence: ${found}`, `Write begins after: ${expected}`],
    })
  }
}

export class NotReversibleError extends AppError {
  constructor({ chain, number }: { chain: string; number: number }) {
    super('STORE_NOT_REVERSIBLE', `A block of "${chain}" cannot be reverted.`, {
      meta: [
        `Block: ${number}`,
        'It is not the newest block, is final, or was stored without undo.',
      ],
    })
  }
}

export class QueueFullError extends AppError {
  constructor({ chain, blocksMax }: { chain: string; blocksMax: number }) {
    super('STORE_QUEUE_FULL', `The persistence queue of "${chain}" is full.`, {
      meta: [`queueBlocksMax: ${blocksMax}`],
      retryable: true,
    })
  }
}

class StoreWriteError extends AppError {
  constructor({ detail, cause }: { detail: string; cause?: unknown }) {
    super('STORE_WRITE_FAILED', 'The database refused a write.', {
      cause,
      meta: [`Detail: ${detail}`],
    })
  }
}

class StoreInternalError extends AppError {
  constructor({ cause }: { cause: Error }) {
    super('STORE_INTERNAL', 'Rows for the database could not be made or read: a bug.', {
      cause,
      meta: [`Detail: ${cause.name}: ${cause.message}`, 'Nothing of this write was stored.'],
    })
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

// SQLSTATE classes and codes after which the same work may succeed: connection (08), rollback (40),
// resources except a full disk (53), operator and shutdown (57), lock not available (55P03).
const retryableStates = /^(08|40|53(?!100)|57|55P03)/
const corruptStates = /^(XX00[12]|58030|58P0[12])/

/** Converts a failure of the database to an AppError. */
export function databaseFault(error: unknown, where: string): AppError {
  if (error instanceof AppError) return error
  const state = sqlState(error)
  const detail = error instanceof Error ? error.message : String(error)
  if (isOurMistake(error)) return new StoreInternalError({ cause: error })
  // Other failures without a SQLSTATE never reached the server, or lost it on the way.
  if (state === undefined) return new StoreUnreachableError({ where, cause: error })
  if (state === '53100' || /No space left on device/.test(detail))
    return new DiskFullError({ where, cause: error })
  if (corruptStates.test(state)) return new CorruptStoreError({ where, detail, cause: error })
  if (retryableStates.test(state)) return new StoreUnreachableError({ where, cause: error })
  return new StoreWriteError({ detail: `${state}: ${detail}`, cause: error })
}

const mistakes = [TypeError, RangeError, ReferenceError, SyntaxError, AssertionError]

/**
 * Is it a bug of the code around the database? It would fail every time; a lost connection is a
 * plain Error.
 */
function isOurMistake(error: unknown): error is Error {
  return mistakes.some((mistake) => error instanceof mistake)
}

const networkCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT'])
// Messages of pg's own errors, which have no code.
const lostTexts =
  /^(Connection terminated|Client has encountered a connection error|Query read timeout|timeout exceeded when trying to connect|timeout expired)/

/** Was the database unreachable, so that the same statement may work later? */
export function isDatabaseUnreachable(error: unknown): boolean {
  if (error instanceof AppError) return isAway(error)
  if (!(error instanceof Error)) return false
  const state = sqlState(error)
  if (state !== undefined) return retryableStates.test(state)
  const { code } = error as NodeJS.ErrnoException
  return (code !== undefined && networkCodes.has(code)) || lostTexts.test(error.message)
}

const isAway = (error: AppError) =>
  error instanceof StoreUnreachableError || error instanceof StoreBehindError

/** Converts errors of the database; returns other errors unchanged. */
export function toStoreError(error: unknown): unknown {
  const isDatabases = sqlState(error) !== undefined || isDatabaseUnreachable(error)
  return isDatabases ? databaseFault(error, 'the database') : error
}

/** The five-character code of an error from the server. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  const severity = (error as { severity?: unknown } | null)?.severity
  return typeof code === 'string' && severity !== undefined ? code : undefined
}
