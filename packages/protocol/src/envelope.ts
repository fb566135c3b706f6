import type { ErrorBody } from './answers/service.ts'
import type { ErrorCode } from './errors.ts'

/** The wrapper of a successful answer: always on token detail, elsewhere on demand. */
export type SuccessEnvelope<data> = { status: 1; msg: string; data_type: 1; data: data }

/** Whether answers have the bare shapes of the interface or are all wrapped in the envelope. */
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
