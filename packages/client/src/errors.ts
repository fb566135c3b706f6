import type { ErrorBody, ErrorCode } from '@chaintape/protocol'

/** What went wrong, in the service's own word where it said one. */
export type FaultCode = ErrorCode | 'network' | 'timeout' | 'bad_answer'

export type FaultDetails = {
  code: FaultCode
  /** The input at fault. */
  param?: string | undefined
  /** Of HTTP; 0: there was no answer. */
  status?: number
  /** Seconds after which the service wants to be asked again. */
  retryAfterS?: number | undefined
  cause?: unknown
}

/** Every failure of a call or a stream. `code` is stable, the message is for people. */
export class ChaintapeError extends Error {
  override name = 'ChaintapeError'
  readonly code: FaultCode
  readonly param: string | undefined
  readonly status: number
  readonly retryAfterS: number | undefined

  constructor(message: string, { code, param, status = 0, retryAfterS, cause }: FaultDetails) {
    super(message, { cause })
    this.code = code
    this.param = param
    this.status = status
    this.retryAfterS = retryAfterS
  }
}

/** The key is missing, unknown, revoked or expired. */
export class KeyError extends ChaintapeError {
  override name = 'KeyError'
}

/** An input is wrong; `param` names it. */
export class InputError extends ChaintapeError {
  override name = 'InputError'
}

/** More than the plan allows: requests per second, credits, or a named limit. */
export class LimitError extends ChaintapeError {
  override name = 'LimitError'
}

/** The service cannot answer now. */
export class ServiceError extends ChaintapeError {
  override name = 'ServiceError'
}

/** Nothing was answered: no connection, or not in time. */
export class NetworkError extends ChaintapeError {
  override name = 'NetworkError'
}

/** The class of a failure, by its HTTP status. */
export function errorOf(message: string, details: FaultDetails): ChaintapeError {
  const { status = 0 } = details
  if (status === 401 || status === 403) return new KeyError(message, details)
  if (status === 429) return new LimitError(message, details)
  if (status >= 500) return new ServiceError(message, details)
  if (status >= 400) return new InputError(message, details)
  return new ChaintapeError(message, details)
}

/** Of an answer that is not a 200. A proxy in between may have written it. */
export function errorOfBody(status: number, body: unknown, retryAfterS?: number): ChaintapeError {
  const { msg, error, errmsg } = (body ?? {}) as Partial<ErrorBody> & { errmsg?: string }
  const code = error?.code ?? (status >= 500 ? 'unavailable' : 'bad_answer')
  return errorOf(msg ?? errmsg ?? `The answer has status ${status}.`, {
    code,
    param: error?.param,
    status,
    retryAfterS,
  })
}
