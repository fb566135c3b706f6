/** Meaning of a public error code, the same on REST and JSON-RPC. */
export type ErrorSpec = {
  httpStatus: number
  /** JSON-RPC error code: the specification's own, -1 for keys, from -32000 for the rest. */
  rpcCode: number
  /** May the same request succeed later? */
  retryable: boolean
  meaning: string
}

/** Every error code on the wire. docs/reference/errors.md lists the same codes. */
export const errorSpecs = {
  missing_key: {
    httpStatus: 401,
    rpcCode: -1,
    retryable: false,
    meaning: 'The request carries no API key.',
  },
  invalid_key: {
    httpStatus: 401,
    rpcCode: -1,
    retryable: false,
    meaning: 'The API key is unknown or revoked.',
  },
  expired_key: {
    httpStatus: 403,
    rpcCode: -1,
    retryable: false,
    meaning: 'The API key has expired.',
  },
  malformed_id: {
    httpStatus: 400,
    rpcCode: -32602,
    retryable: false,
    meaning:
      'A token id or pair id is not `<address>-<chain>`, or the address does not fit the chain.',
  },
  unknown_chain: {
    httpStatus: 400,
    rpcCode: -32602,
    retryable: false,
    meaning: 'The service does not serve this chain; the message lists the chains it serves.',
  },
  missing_param: {
    httpStatus: 400,
    rpcCode: -32602,
    retryable: false,
    meaning: 'A required input is missing or empty.',
  },
  invalid_param: {
    httpStatus: 400,
    rpcCode: -32602,
    retryable: false,
    meaning: 'An input has the wrong type, appears twice, or is not one of the allowed values.',
  },
  limit_out_of_range: {
    httpStatus: 400,
    rpcCode: -32602,
    retryable: false,
    meaning: 'A count is below its minimum or above its maximum. Counts are never clamped.',
  },
  body_invalid: {
    httpStatus: 400,
    rpcCode: -32700,
    retryable: false,
    meaning: 'The body is missing, is not JSON, or has the wrong JSON type.',
  },
  body_too_large: {
    httpStatus: 400,
    rpcCode: -32600,
    retryable: false,
    meaning: 'The body exceeds the size limit.',
  },
  bad_request: {
    httpStatus: 400,
    rpcCode: -32600,
    retryable: false,
    meaning: 'The request is not valid HTTP, or its URL cannot be decoded.',
  },
  not_found: {
    httpStatus: 404,
    rpcCode: -32601,
    retryable: false,
    meaning: 'No operation has this path, or nothing has this id.',
  },
  method_not_allowed: {
    httpStatus: 405,
    rpcCode: -32601,
    retryable: false,
    meaning: 'The path exists with other methods; the Allow header lists them.',
  },
  rate_limited: {
    httpStatus: 429,
    rpcCode: -32001,
    retryable: true,
    meaning:
      "The request rate exceeds the plan's limit, or the limit per address for requests without a valid key. Retry-After says when to retry.",
  },
  limit_exceeded: {
    httpStatus: 429,
    rpcCode: -32000,
    retryable: false,
    meaning: 'A limit of the plan or the service is exceeded; the error names it.',
  },
  credits_exhausted: {
    httpStatus: 429,
    rpcCode: -32002,
    retryable: true,
    meaning:
      'The plan has no credit units left in this period. Retry-After says when the next period starts.',
  },
  internal: {
    httpStatus: 500,
    rpcCode: -32603,
    retryable: true,
    meaning: 'The service failed; its log has the cause.',
  },
  unavailable: {
    httpStatus: 503,
    rpcCode: -32003,
    retryable: true,
    meaning: 'A part that the answer needs does not respond now, for example the database.',
  },
  not_ready: {
    httpStatus: 503,
    rpcCode: -32004,
    retryable: true,
    meaning:
      'The chain has no applied block yet; the message gives the reason, /health/ready gives details.',
  },
  cursor_orphaned: {
    httpStatus: 409,
    rpcCode: -32010,
    retryable: false,
    meaning:
      'The block of the cursor was reverted too long ago; `data.cursor` is the last valid cursor.',
  },
  cursor_unknown: {
    httpStatus: 410,
    rpcCode: -32011,
    retryable: false,
    meaning:
      'The cursor is older than the kept history, belongs to another chain, or is ahead of this server.',
  },
} as const satisfies Record<string, ErrorSpec>

export type ErrorCode = keyof typeof errorSpecs

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errorSpecs, text)
}
