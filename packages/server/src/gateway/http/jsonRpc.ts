import { type CallError, errorSpecs, type SubscribeAnswer } from '@chaintape/protocol'
import type { RpcId } from '../feed/push.ts'
import type { RequestError } from '../ground/errors.ts'
import { encodeJsonInSteps, type Steps } from '../ground/steps.ts'

/** One JSON-RPC call of a message. `id` is undefined for a notification, which gets no response. */
export type RpcCall = { type: 'call'; id: RpcId | undefined; method: string; params: unknown }

/**
 * A message, or an element of a batch, that is not a valid JSON-RPC request. `id` is null if the
 * client sent no usable id.
 */
export type InvalidRequest = { type: 'invalid'; id: RpcId | null; reason: string }

/**
 * A parsed WebSocket message; null if the text is not JSON. A batch over the limit is only counted.
 */
type RpcMessage =
  | { isBatch: boolean; parts: readonly (RpcCall | InvalidRequest)[] }
  | { tooMany: number }
  | null

/** Example of a call, appended to errors about malformed JSON-RPC requests. */
export const callExample = 'Example: {"jsonrpc":"2.0","id":1,"method":"ping"}.'

/** Parses a text as JSON-RPC 2.0. Never throws. */
export function parseJsonRpc(text: string, batchCallsMax: number): RpcMessage {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (!Array.isArray(value)) return { isBatch: false, parts: [parsePart(value)] }
  if (value.length === 0)
    return {
      isBatch: false,
      parts: [{ type: 'invalid', id: null, reason: 'The batch is empty; send at least one call.' }],
    }
  if (value.length > batchCallsMax) return { tooMany: value.length }
  return { isBatch: true, parts: value.map(parsePart) }
}

function parsePart(value: unknown): RpcCall | InvalidRequest {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { type: 'invalid', id: null, reason: `A request must be a JSON object. ${callExample}` }
  const { jsonrpc, id, method, params } = value as Record<string, unknown>
  if (id !== undefined && !isId(id)) return { type: 'invalid', id: null, reason: idReason }
  const invalidId = id ?? null
  if (jsonrpc !== '2.0')
    return { type: 'invalid', id: invalidId, reason: 'The member jsonrpc must be "2.0".' }
  if (typeof method !== 'string')
    return { type: 'invalid', id: invalidId, reason: 'The member method must be a string.' }
  return { type: 'call', id, method, params }
}

// Limits the length of request ids, because every push of a subscription repeats its id.
const idCharsMax = 256
const idReason = `The id must be an integer within 2^53, or a string of at most ${idCharsMax} characters.`

function isId(id: unknown): id is RpcId {
  // An integer beyond 2^53 would be echoed changed, and the client could not match the response.
  return typeof id === 'string' ? id.length <= idCharsMax : Number.isSafeInteger(id)
}

/** Wire form of a failed call: the `error` member of its JSON-RPC response. */
export type RpcErrorBody = CallError['error']

/** A subscription item that the server refused, with the reason. */
export type RejectedItem = SubscribeAnswer['result']['rejected'][number]

/** Outcome of one call: a result or an error, never both. */
export type RpcOutcome = { result: unknown } | { fault: RpcErrorBody }

export const rpcErrorCodes = {
  notJson: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  /** JSON-RPC error code of every exceeded limit, whether of the plan or of the server. */
  limitExceeded: -32000,
} as const

export function rpcErrorOf(error: RequestError): RpcErrorBody {
  const { wireCode, shortMessage, param } = error
  return {
    code: errorSpecs[wireCode].rpcCode,
    message: shortMessage,
    data: param === undefined ? { code: wireCode } : { code: wireCode, param },
  }
}

export function limitExceededError(limit: string, max: number, message: string): RpcErrorBody {
  return {
    code: rpcErrorCodes.limitExceeded,
    message,
    data: { code: 'limit_exceeded', limit, max },
  }
}

/** Encodes the JSON-RPC response to one call. */
export function* encodeAnswer(id: RpcId | null, outcome: RpcOutcome): Steps<string> {
  const [name, value] = 'fault' in outcome ? ['error', outcome.fault] : ['result', outcome.result]
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"${name}":${yield* encodeJsonInSteps(value)}}`
}

// Nesting of a well-formed subscription item: at most an array that contains an array of strings.
const echoDepthMax = 2

/**
 * Copies a client's param for an error response. Objects become null, and so do arrays nested
 * deeper than `echoDepthMax`.
 */
export function echoableParam(param: unknown, depth = 0): unknown {
  if (typeof param !== 'object' || param === null) return param
  if (!Array.isArray(param) || depth === echoDepthMax) return null
  return param.map((element) => echoableParam(element, depth + 1))
}
