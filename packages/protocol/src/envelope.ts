import type { ErrorCode } from './errors.ts'

/** The wrapper of a successful answer, always on token detail and on demand elsewhere. */
export type SuccessEnvelope<data> = { status: 1; msg: string; data_type: 1; data: data }

/** The body of every failed request, whatever its HTTP status. */
export type ErrorBody = {
  status: 0
  /** A sentence a person can act on. */
  msg: string
  data: null
  /** `param` names the input at fault, when it is one input's. */
  error: { code: ErrorCode; param?: string }
}

/** Whether answers are the bare shapes of the interface or all wrapped in the envelope. */
export type ResponseEnvelope = 'contract' | 'always'

export function successEnvelope<data>(data: data, msg = 'SUCCESS'): SuccessEnvelope<data> {
  return { status: 1, msg, data_type: 1, data }
}

export function errorBody(code: ErrorCode, msg: string, param?: string): ErrorBody {
  return {
    status: 0,
    msg,
    data: null,
    error: param === undefined ? { code } : { code, param },
  }
}
