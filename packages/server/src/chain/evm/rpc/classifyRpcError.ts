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
    /execution reverted|transaction reverted|vm (exception|execution)|evm error|invalid (opcode|jump)|out of gas|stack (over|under)flow|stack limit/i,
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
  // Asked of a node that keeps only new state: another one may have it, and this one is well.
  [/archive|world state unavailable|historical state/i, 'notFound'],
  [/unauthori[sz]ed|forbidden|api.?key|not whitelisted|access denied/i, 'forbidden'],
  [
    /header (for hash )?not found|unknown block|block not found|missing trie node|could not find block|does not exist|not.*available|after last accepted block|beyond (current )?head|out ?of ?range|invalid block tag|not currently canonical|pruned|no state/i,
    'notFound',
  ],
  [/timeout|timed out|deadline exceeded/i, 'timeout'],
]

// What a node says of a question whose form it does not know, such as a block by its hash.
const formWords =
  /unmarshal|deserializ|did not match any|parse error|(invalid|missing|too many|wrong number of) (arg|param|value|type)/i

// What a node says when it, not the contract, is at fault.
const nodeFaultWords =
  /internal|crash|panic|database|leveldb|pebble|busy|load|unavailable|try again|retry|upstream|backend|no (server|healthy|node)|sync|shut|connection|gateway|cancel/i

const executionCodes: ReadonlySet<number> = new Set([3, -32015])

const codeKinds: Readonly<Record<number, RpcErrorKind>> = {
  [-32601]: 'unknownMethod',
  [-32004]: 'unknownMethod',
  [-32005]: 'rateLimited',
  [-32029]: 'rateLimited',
  429: 'rateLimited',
  [-32602]: 'refused',
  [-32600]: 'refused',
  [-32700]: 'refused',
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
  const isCall = method === 'eth_call'
  if (isCall && executionCodes.has(code ?? 0)) return { kind: 'reverted', range: undefined }
  const kind =
    messageKinds.find(([pattern]) => pattern.test(message))?.[1] ??
    (code === undefined ? undefined : codeKinds[code]) ??
    (httpStatus === undefined ? undefined : statusKinds[httpStatus]) ??
    (isCall ? callKind(failure) : undefined) ??
    'failed'
  return { kind, range: undefined }
}

/**
 * No list has all the ways in which code can end, in the words of every node. So a call that failed, at a node that
 * neither finds fault with itself nor with the question, was failed by the contract.
 */
function callKind({ code, message, httpStatus = 200 }: RpcFailure): RpcErrorKind | undefined {
  if (formWords.test(message)) return 'refused'
  const isOfNode = message === '' || httpStatus >= 500 || nodeFaultWords.test(message)
  return code === undefined || isOfNode ? undefined : 'reverted'
}
