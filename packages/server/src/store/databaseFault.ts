import { AssertionError } from 'node:assert'
import { AppError } from '../lib/errors.ts'
import {
  CorruptStoreError,
  DiskFullError,
  StoreBehindError,
  StoreInternalError,
  StoreUnreachableError,
  StoreWriteError,
} from './errors.ts'

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
