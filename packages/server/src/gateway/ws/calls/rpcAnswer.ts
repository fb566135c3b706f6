import { type CallError, errorSpecs, type SubscribeAnswer } from '@chaintape/protocol'
import type { RequestError } from '../../errors.ts'
import type { RpcId } from '../../feed/push.ts'
import { encodeSteps, type Steps } from '../../turns/steps.ts'

/** Why a call failed, as it crosses the wire. */
export type RpcFault = CallError['error']

/** An item that was refused. */
export type Rejected = SubscribeAnswer['result']['rejected'][number]

/** What a call gives: exactly one of the two. */
export type RpcOutcome = { result: unknown } | { fault: RpcFault }

export const rpcCodes = {
  notJson: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  /** Over a limit of the plan or the server. */
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

/** The text of an answer. */
export function* encodeAnswer(id: RpcId | null, outcome: RpcOutcome): Steps<string> {
  const [name, value] = 'fault' in outcome ? ['error', outcome.fault] : ['result', outcome.result]
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"${name}":${yield* encodeSteps(value)}}`
}

// As deep as any well-formed item: one array of strings.
const echoDepthMax = 2

/** A value of the caller's as it may be repeated in an answer; what is nested deeper is left out. */
export function echo(param: unknown, depth = 0): unknown {
  if (typeof param !== 'object' || param === null) return param
  if (!Array.isArray(param) || depth === echoDepthMax) return null
  return param.map((element) => echo(element, depth + 1))
}
