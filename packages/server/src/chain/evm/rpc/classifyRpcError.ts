import type { RpcErrorKind } from '../../errors.ts'
import { parseRangeLimit, type RangeLimit } from '../logRanges.ts'

export type RpcFailure = {
  method: string
  /** JSON-RPC error code; absent when the answer was not JSON-RPC. */
  code?: number | undefined
  message: string
  /** Some nodes say here which range would work. */
  data?: string | undefined
  httpStatus?: number | undefined
}

export type RpcClass = { kind: RpcErrorKind; range: RangeLimit | undefined }

// Providers agree on no code, so their words decide; the first row that matches wins.
const messageKinds: readonly (readonly [RegExp, RpcErrorKind])[] = [
  [
    /execution reverted|transaction reverted|vm exception|invalid opcode|out of gas|stack (over|under)flow/i,
    'reverted',
  ],
  [
    /too many requests|rate.?limit|request count exceeded|exceeded its (throughput|compute)|compute units|capacity exceeded|credits|quota|throttl|per second/i,
    'rateLimited',
  ],
  [/batch/i, 'batchRefused'],
  [
    /(method|endpoint).*(not (found|supported|available|exist|allowed|whitelisted|enabled)|does not exist|unsupported|disabled)|unsupported method|unknown method/i,
    'unknownMethod',
  ],
  [/unauthori[sz]ed|forbidden|api.?key|archive|not whitelisted|access denied/i, 'forbidden'],
  [
    /header (for hash )?not found|unknown block|block not found|missing trie node|could not find block|does not exist|not.*available|after last accepted block|beyond (current )?head|pruned|no state/i,
    'notFound',
  ],
  [/timeout|timed out|deadline exceeded/i, 'timeout'],
]

const codeKinds: Readonly<Record<number, RpcErrorKind>> = {
  3: 'reverted',
  [-32601]: 'unknownMethod',
  [-32004]: 'unknownMethod',
  [-32005]: 'rateLimited',
  [-32029]: 'rateLimited',
  429: 'rateLimited',
  [-32602]: 'refused',
  [-32600]: 'refused',
  [-32001]: 'notFound',
}

const statusKinds: Readonly<Record<number, RpcErrorKind>> = {
  401: 'forbidden',
  402: 'forbidden',
  403: 'forbidden',
  408: 'timeout',
  413: 'batchRefused',
  429: 'rateLimited',
  504: 'timeout',
}

/** What a failure means for us, from the node's code, words and HTTP status. */
export function classifyRpcError(failure: RpcFailure): RpcClass {
  const { method, code, message, data, httpStatus } = failure
  if (method === 'eth_getLogs') {
    const limit = parseRangeLimit(data === undefined ? message : `${message} ${data}`)
    if (limit !== null) return { kind: 'rangeTooLarge', range: limit }
  }
  const kind =
    messageKinds.find(([pattern]) => pattern.test(message))?.[1] ??
    (code === undefined ? undefined : codeKinds[code]) ??
    (httpStatus === undefined ? undefined : statusKinds[httpStatus]) ??
    'failed'
  return { kind, range: undefined }
}
