import type { RpcId } from '../../feed/push.ts'

/** One JSON-RPC call of a message. `id` is undefined for a notification, which gets no response. */
export type RpcCall = { type: 'call'; id: RpcId | undefined; method: string; params: unknown }

/**
 * A message, or an element of a batch, that is not a valid JSON-RPC request. `id` is null if the
 * client sent no usable id.
 */
export type RpcInvalid = { type: 'invalid'; id: RpcId | null; reason: string }

/**
 * A parsed WebSocket message; null if the text is not JSON. A batch over the limit is only counted.
 */
type RpcMessage =
  | { isBatch: boolean; parts: readonly (RpcCall | RpcInvalid)[] }
  | { tooMany: number }
  | null

/** Parses a text as JSON-RPC 2.0. Never throws. */
export function parseRpc(text: string, batchCallsMax: number): RpcMessage {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (!Array.isArray(value)) return { isBatch: false, parts: [parsePart(value)] }
  if (value.length === 0)
    return { isBatch: false, parts: [{ type: 'invalid', id: null, reason: 'The batch is empty.' }] }
  if (value.length > batchCallsMax) return { tooMany: value.length }
  return { isBatch: true, parts: value.map(parsePart) }
}

function parsePart(value: unknown): RpcCall | RpcInvalid {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { type: 'invalid', id: null, reason: 'A request is a JSON object.' }
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
const idReason = `The id must be an integer, or a string of at most ${idCharsMax} characters.`

function isId(id: unknown): id is RpcId {
  // An integer beyond 2^53 would be echoed changed, and the client could not match the response.
  return typeof id === 'string' ? id.length <= idCharsMax : Number.isSafeInteger(id)
}
