import { RpcError, type RpcErrorKind } from '../../errors.ts'
import type { EvmCall, EvmResult } from '../evmRpc.ts'
import { blocksAsked, type Capabilities } from './capabilities.ts'
import { classifyRpcError } from './classifyRpcError.ts'

/** Where an answer came from, and the node's memory to write into. */
export type AnswerSource = { index: number; name: string; able: Capabilities }

export type Answer = { json: unknown; status: number; retryAfterMs: number | undefined }

// An error text can be a page of HTML.
const detailCharsMax = 500

/** One result per call. Batches lose their order in some nodes, so answers are matched by id. */
export function readAnswers(
  source: AnswerSource,
  calls: readonly EvmCall[],
  answer: Answer,
): EvmResult[] {
  if (Array.isArray(answer.json) && calls.length > 1) {
    // Some nodes give numbers back as text.
    const byId = new Map<unknown, unknown>()
    for (const item of answer.json as ({ id?: unknown } | null)[])
      byId.set(typeof item?.id === 'string' ? Number(item.id) : item?.id, item)
    return calls.map((call, id) => readOne(source, call, { ...answer, json: byId.get(id) }))
  }
  const one = readOne(source, calls[0]!, answer)
  return calls.length === 1 ? [one] : failAll(source, calls, batchRefusal(source, calls[0]!, one))
}

export function failAll(
  source: AnswerSource,
  calls: readonly EvmCall[],
  error: RpcError,
): EvmResult[] {
  return calls.map(() => ({ ok: false, error, endpoint: source.index }))
}

// Whatever a node calls it, one refusal for many well-formed calls is about the batch.
const kindsAboutBatch: ReadonlySet<RpcErrorKind> = new Set([
  'refused',
  'failed',
  'malformed',
  'reverted',
  'outOfGas',
  'logsRefused',
])

function batchRefusal({ name }: AnswerSource, { method }: EvmCall, one: EvmResult): RpcError {
  if (!one.ok && !kindsAboutBatch.has(one.error.kind)) return one.error
  const detail = one.ok ? 'One answer to a batch' : one.error.meta.join('; ')
  return new RpcError({ kind: 'batchRefused', method, endpoint: name, detail })
}

function readOne(source: AnswerSource, call: EvmCall, answer: Answer): EvmResult {
  const { index: endpoint, name } = source
  const { json, status } = answer
  if (typeof json === 'object' && json !== null) {
    if ('error' in json && json.error)
      return { ok: false, error: readError(source, call, answer, json.error), endpoint }
    if ('result' in json) {
      source.able.onAnswer(call, Date.now())
      return { ok: true, value: json.result, endpoint }
    }
    // Gateways in front of nodes answer with a bare error object.
    if ('message' in json)
      return { ok: false, error: readError(source, call, answer, json), endpoint }
  }
  const detail = 'The answer is not JSON-RPC'
  const error =
    status === 200
      ? new RpcError({ kind: 'malformed', method: call.method, endpoint: name, detail })
      : readError(source, call, answer, null)
  return { ok: false, error, endpoint }
}

/** A JSON-RPC error object as our error; what it says of the node is remembered. */
function readError(
  source: AnswerSource,
  call: EvmCall,
  { status, retryAfterMs }: Answer,
  failure: unknown,
): RpcError {
  const { method } = call
  const { code, message, data } = (failure ?? {}) as Record<string, unknown>
  const text = typeof message === 'string' ? message.slice(0, detailCharsMax) : ''
  const { kind: found, range } = classifyRpcError({
    method,
    code: typeof code === 'number' ? code : undefined,
    message: text,
    data: data === undefined ? undefined : JSON.stringify(data).slice(0, detailCharsMax),
    httpStatus: status,
  })
  // No range is smaller than one block: it is refused for another reason, and another node may not have that.
  const kind = found === 'rangeTooLarge' && blocksAsked(call) === 1 ? 'logsRefused' : found
  source.able.onRefusal(call, { kind, range }, Date.now())
  return new RpcError({
    kind,
    method,
    endpoint: source.name,
    detail: text || `HTTP status ${status}`,
    rangeBlocksMax: range?.blocksMax,
    retryAfterMs,
  })
}
