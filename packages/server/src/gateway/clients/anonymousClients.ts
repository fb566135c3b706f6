import type { IncomingMessage } from 'node:http'
import type { Metrics } from '../../lib/metrics.ts'
import { RequestError } from '../ground/errors.ts'
import type { KeyAccess } from '../keys/keyAccess.ts'
import type { AddressUsage, ClientFaultKind } from './addressUsage.ts'
import type { ClientAddresses } from './clientAddress.ts'

/**
 * Applies the limits of an address to requests without a valid key. A client with a valid key is
 * never limited by others at its address, because many clients may share one.
 */
export type AnonymousClients = {
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
  checkLimit(request: IncomingMessage, kind?: ClientFaultKind): RequestError | null
  /**
   * Refuses a client over its limits after a delay. Without the delay a client that retries at once
   * would cost more than its requests.
   */
  refuseLater(refuse: () => void): void
  /**
   * The error for a missing or invalid key: the given error, or `rate_limited` if the address is
   * over its limits.
   */
  keyErrorOf(request: IncomingMessage, error: unknown): unknown
}

type AnonymousClientsOptions = {
  keys: KeyAccess
  addresses: ClientAddresses
  book: AddressUsage
  metrics: Metrics
}

// A hundred of the longest documents per second would take a whole core, here and at the client.
const bytesPerRequest = 32_768

// With this delay a client over its limits gets one refusal a second on each connection. Refusals
// due at once are spread, because all their clients may retry at once.
const refusalDelayMs = 1_000
const refusalSpreadMs = 16
const refusalSpreadSteps = 32

const limitNames: Record<ClientFaultKind, string> = {
  anonymous: 'stranger_requests_per_s',
  failedKey: 'failed_keys_per_min',
  failedAdminKey: 'failed_admin_keys_per_min',
}

export function createAnonymousClients(options: AnonymousClientsOptions): AnonymousClients {
  const { keys, addresses, book, metrics } = options
  let refusedCount = 0

  function checkLimit(
    request: IncomingMessage,
    kind: ClientFaultKind = 'anonymous',
    count = 1,
  ): RequestError | null {
    const address = addresses.ofRequest(request)
    const waitMs = Math.max(
      kind === 'anonymous' ? 0 : book.countFault(address, kind),
      book.countFault(address, 'anonymous', count),
    )
    if (waitMs === 0) return null
    metrics.refusedRequestsTotal.inc({ reason: limitNames[kind] })
    return rateLimitError(kind, waitMs)
  }

  function keyErrorOf(request: IncomingMessage, error: unknown): unknown {
    if (!(error instanceof RequestError)) return error
    if (error.wireCode === 'missing_key') return checkLimit(request) ?? error
    const isKeyFault = error.wireCode === 'invalid_key' || error.wireCode === 'expired_key'
    return (isKeyFault ? checkLimit(request, 'failedKey') : null) ?? error
  }

  /**
   * Routes that need no key also answer requests with an invalid key, so only `rate_limited`
   * counts.
   */
  function overLimitOf(request: IncomingMessage, error: unknown): RequestError | null {
    const refused = keyErrorOf(request, error)
    return isRateLimited(refused) ? refused : null
  }

  return {
    checkLimit,
    keyErrorOf,
    refuseLater(refuse) {
      refusedCount += 1
      setTimeout(refuse, refusalDelayMs + refusalSpreadMs * (refusedCount % refusalSpreadSteps))
    },
    admit(request, answerBytes = 0) {
      const key = request.headers['x-api-key']
      const count = 1 + Math.floor(answerBytes / bytesPerRequest)
      if (key === undefined) return checkLimit(request, 'anonymous', count)
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

function rateLimitError(kind: ClientFaultKind, waitMs: number): RequestError {
  return new RequestError(
    'rate_limited',
    `Too many requests without a valid key from your address (${limitNames[kind]}).`,
    undefined,
    { retryAfterS: Math.max(1, Math.ceil(waitMs / 1_000)) },
  )
}
