import type { ErrorBody, ErrorCode } from '@chaintape/protocol'

/** Code of a failure: the service's own, or one of the client's. */
export type FaultCode = ErrorCode | 'network' | 'timeout' | 'bad_answer'

export type FaultDetails = {
  code: FaultCode
  /** The input that is wrong. */
  param?: string | undefined
  /** HTTP status; 0 without an answer. */
  status?: number
  /** Seconds after which the service asks for a retry. */
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

/** The service cannot answer at the moment. */
export class ServiceError extends ChaintapeError {
  override name = 'ServiceError'
}

/** No answer: no connection, or a timeout. */
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

/** Error of an answer other than 200, which a proxy may have written. */
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
