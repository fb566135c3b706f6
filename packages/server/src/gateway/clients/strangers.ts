import type { IncomingMessage } from 'node:http'
import type { Metrics } from '../../lib/metrics.ts'
import { RequestError } from '../errors.ts'
import type { KeyAccess } from '../keys/keyAccess.ts'
import type { AddressBook, FaultKind } from './addressBook.ts'
import type { ClientAddresses } from './clientAddress.ts'

/**
 * Applies the limits of an address to requests without a valid key. A client with a valid key is
 * never limited by others at its address, because many clients may share one.
 */
export type Strangers = {
  /**
   * Checks the key of a request, if present, and its address. Null: the request may be answered;
   * else the error to answer. `answerBytes`: a long answer counts as several requests.
   */
  admit(
    request: IncomingMessage,
    answerBytes?: number,
  ): RequestError | null | Promise<RequestError | null>
  /**
   * Counts a fault of the request's address. Null: the address is within its limits; else the error
   * to answer.
   */
  overLimit(request: IncomingMessage, kind?: FaultKind): RequestError | null
  /**
   * Refuses a client over its limits after a delay. Without the delay a client that retries at once
   * would cost more than its requests.
   */
  later(refuse: () => void): void
  /**
   * The error for a missing or invalid key: the given error, or `rate_limited` if the address is
   * over its limits.
   */
  refusal(request: IncomingMessage, error: unknown): unknown
}

type StrangersOptions = {
  keys: KeyAccess
  addresses: ClientAddresses
  book: AddressBook
  metrics: Metrics
}

// A hundred of the longest documents per second would take a whole core, here and at the client.
const bytesPerRequest = 32_768

// With this delay a client over its limits gets one refusal a second on each connection. Refusals
// due at once are spread, because all their clients may retry at once.
const refusedAfterMs = 1_000
const refusedSpreadMs = 16
const refusedSpreads = 32

const limitNames: Record<FaultKind, string> = {
  anonymous: 'stranger_requests_per_s',
  failedKey: 'failed_keys_per_min',
  failedAdminKey: 'failed_admin_keys_per_min',
}

export function createStrangers(options: StrangersOptions): Strangers {
  const { keys, addresses, book, metrics } = options
  let refusedCount = 0

  function overLimit(
    request: IncomingMessage,
    kind: FaultKind = 'anonymous',
    count = 1,
  ): RequestError | null {
    const address = addresses.ofRequest(request)
    const waitMs = Math.max(
      kind === 'anonymous' ? 0 : book.waitMs(address, kind),
      book.waitMs(address, 'anonymous', count),
    )
    if (waitMs === 0) return null
    metrics.refusedRequestsTotal.inc({ reason: limitNames[kind] })
    return tooMany(kind, waitMs)
  }

  function refusal(request: IncomingMessage, error: unknown): unknown {
    if (!(error instanceof RequestError)) return error
    if (error.wireCode === 'missing_key') return overLimit(request) ?? error
    const isKeyFault = error.wireCode === 'invalid_key' || error.wireCode === 'expired_key'
    return (isKeyFault ? overLimit(request, 'failedKey') : null) ?? error
  }

  /**
   * Routes that need no key also answer requests with an invalid key, so only `rate_limited`
   * counts.
   */
  function overLimitOf(request: IncomingMessage, error: unknown): RequestError | null {
    const refused = refusal(request, error)
    return isRateLimited(refused) ? refused : null
  }

  return {
    overLimit,
    refusal,
    later(refuse) {
      refusedCount += 1
      setTimeout(refuse, refusedAfterMs + refusedSpreadMs * (refusedCount % refusedSpreads))
    },
    admit(request, answerBytes = 0) {
      const key = request.headers['x-api-key']
      const count = 1 + Math.floor(answerBytes / bytesPerRequest)
      if (key === undefined) return overLimit(request, 'anonymous', count)
      try {
        const found = keys.identify(String(key))
        if (!(found instanceof Promise)) return null
        return found.then(
          () => null,
          (error) => overLimitOf(request, error),
        )
      } catch (error) {
        return overLimitOf(request, error)
      }
    },
  }
}

/** Whether the error is `rate_limited`. The connection is closed after such an answer. */
export function isRateLimited(error: unknown): error is RequestError {
  return error instanceof RequestError && error.wireCode === 'rate_limited'
}

function tooMany(kind: FaultKind, waitMs: number): RequestError {
  return new RequestError(
    'rate_limited',
    `Too many requests without a valid key from your address (${limitNames[kind]}).`,
    undefined,
    { retryAfterS: Math.max(1, Math.ceil(waitMs / 1_000)) },
  )
}
