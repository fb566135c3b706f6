import type { RpcId } from '../../feed/push.ts'

/** One call of a message; `id` undefined: a notification, which gets no answer. */
export type RpcCall = { type: 'call'; id: RpcId | undefined; method: string; params: unknown }

/** A part of a message that is not a request object; `id` null where it has none that can be repeated. */
export type RpcInvalid = { type: 'invalid'; id: RpcId | null; reason: string }

/** A message taken apart; null: not JSON. A batch that is too long is only counted. */
type RpcMessage =
  | { isBatch: boolean; parts: readonly (RpcCall | RpcInvalid)[] }
  | { tooMany: number }
  | null

/** Reads one text as JSON-RPC 2.0. Never throws. */
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

// Every push of a subscription repeats it.
const idCharsMax = 256
const idReason = `The id must be an integer, or a string of at most ${idCharsMax} characters.`

function isId(id: unknown): id is RpcId {
  // Beyond 2^53 a number would come back changed, and the client could not match the answer.
  return typeof id === 'string' ? id.length <= idCharsMax : Number.isSafeInteger(id)
}
