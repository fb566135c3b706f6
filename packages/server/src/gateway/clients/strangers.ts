import type { IncomingMessage } from 'node:http'
import type { Metrics } from '../../lib/metrics.ts'
import { RequestError } from '../errors.ts'
import type { KeyAccess } from '../keys/keyAccess.ts'
import type { AddressBook, FaultKind } from './addressBook.ts'
import type { ClientAddresses } from './clientAddress.ts'

/**
 * Holds callers without a key that works to the limits of their address. Whoever has one is never held to what others of the
 * same address do: behind one address there may be many.
 */
export type Strangers = {
  /**
   * Null: the request may be answered; else why not. Asks for the key that it has, if it has one. `answerBytes`: of a
   * long answer every part counts as a request.
   */
  admit(
    request: IncomingMessage,
    answerBytes?: number,
  ): RequestError | null | Promise<RequestError | null>
  /** Null: the address may do this once more; else why not. */
  overLimit(request: IncomingMessage, kind?: FaultKind): RequestError | null
  /**
   * Refuses somebody who is over a limit, after a while: who comes again as soon as it is refused would cost more than its
   * requests.
   */
  later(refuse: () => void): void
  /** The error of a caller whose key is missing or does not work. */
  refusal(request: IncomingMessage, error: unknown): unknown
}

type StrangersOptions = {
  keys: KeyAccess
  addresses: ClientAddresses
  book: AddressBook
  metrics: Metrics
}

// A hundred of the longest documents a second would take a core of ours and of the reader.
const bytesPerRequest = 32_768

// So a client that is over its limits has one refusal a second on each of its connections. Those that come at once are
// refused one after another: they may all come again at once.
const refusedAfterMs = 1_000
const refusedSpreadMs = 16
const refusedSpreads = 32

const limitNames: Record<FaultKind, string> = {
  stranger: 'stranger_requests_per_s',
  failedKey: 'failed_keys_per_min',
  failedAdminKey: 'failed_admin_keys_per_min',
}

export function createStrangers(options: StrangersOptions): Strangers {
  const { keys, addresses, book, metrics } = options
  let refusedCount = 0

  function overLimit(
    request: IncomingMessage,
    kind: FaultKind = 'stranger',
    count = 1,
  ): RequestError | null {
    const address = addresses.ofRequest(request)
    const waitMs = Math.max(
      kind === 'stranger' ? 0 : book.waitMs(address, kind),
      book.waitMs(address, 'stranger', count),
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

  /** What needs no key is answered to a key that does not work, too. */
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
      if (key === undefined) return overLimit(request, 'stranger', count)
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

/** Such a caller is let go of after its answer. */
export function isRateLimited(error: unknown): error is RequestError {
  return error instanceof RequestError && error.wireCode === 'rate_limited'
}

function tooMany(kind: FaultKind, waitMs: number): RequestError {
  return new RequestError(
    'rate_limited',
    `Too many requests without a key that works come from your address (${limitNames[kind]}).`,
    undefined,
    { retryAfterS: Math.max(1, Math.ceil(waitMs / 1_000)) },
  )
}
