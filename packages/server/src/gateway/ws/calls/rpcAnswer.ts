import { type CallError, errorSpecs, type SubscribeAnswer } from '@chaintape/protocol'
import type { RequestError } from '../../errors.ts'
import type { RpcId } from '../../feed/push.ts'
import { encodeSteps, type Steps } from '../../turns/steps.ts'

/** Wire form of a failed call: the `error` member of its JSON-RPC response. */
export type RpcFault = CallError['error']

/** A subscription item that the server refused, with the reason. */
export type Rejected = SubscribeAnswer['result']['rejected'][number]

/** Outcome of one call: a result or an error, never both. */
export type RpcOutcome = { result: unknown } | { fault: RpcFault }

export const rpcCodes = {
  notJson: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  /** JSON-RPC error code of every exceeded limit, whether of the plan or of the server. */
  limitExceeded: -32000,
} as const

export function faultOf(error: RequestError): RpcFault {
  const { wireCode, shortMessage, param } = error
  return {
    code: errorSpecs[wireCode].rpcCode,
    message: shortMessage,
    data: param === undefined ? { code: wireCode } : { code: wireCode, param },
  }
}

export function limitFault(limit: string, max: number, message: string): RpcFault {
  return { code: rpcCodes.limitExceeded, message, data: { code: 'limit_exceeded', limit, max } }
}

/** Encodes the JSON-RPC response to one call. */
export function* encodeAnswer(id: RpcId | null, outcome: RpcOutcome): Steps<string> {
  const [name, value] = 'fault' in outcome ? ['error', outcome.fault] : ['result', outcome.result]
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"${name}":${yield* encodeSteps(value)}}`
}

// Nesting of a well-formed subscription item: at most an array that contains an array of strings.
const echoDepthMax = 2

/**
 * Copies a client's param for an error response. Objects and arrays nested deeper than
 * `echoDepthMax` become null.
 */
export function echo(param: unknown, depth = 0): unknown {
  if (typeof param !== 'object' || param === null) return param
  if (!Array.isArray(param) || depth === echoDepthMax) return null
  return param.map((element) => echo(element, depth + 1))
}
