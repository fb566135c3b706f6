import type { Logger } from '../../lib/logger.ts'
import { RpcError, type RpcErrorKind, type RpcSource } from '../errors.ts'
import type { Health } from './health.ts'
import type { HttpPost } from './httpPost.ts'
import {
  type AnswerLimit,
  answerLimitOf,
  type Capabilities,
  type RpcCall,
  type RpcDialect,
  type RpcMetric,
  type RpcResult,
} from './rpcCall.ts'

type PostOptions = {
  source: AnswerSource
  http: HttpPost
  health: Health
  counts: { inFlight: number; requestCount: number }
  responseBytesMax: number
  logger: Logger
  onMetric: (metric: RpcMetric) => void
}

/** Sends calls in one HTTP request. Never rejects. */
export type Post = (calls: readonly RpcCall[], signal: AbortSignal) => Promise<RpcResult[]>

export function createPost(options: PostOptions): Post {
  const { source, http, health, counts, onMetric } = options
  const watchSize = createSizeWatch(options)

  async function ask(calls: readonly RpcCall[], { bytesMax }: AnswerLimit, signal: AbortSignal) {
    const { method } = calls[0]!
    const bodies = calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))
    const body = JSON.stringify(calls.length === 1 ? bodies[0] : bodies)
    try {
      const { text, ...answer } = await http.post(body, { method, bytesMax }, signal)
      const results = readAnswers(source, calls, { ...answer, json: parseJson(text) })
      return { results, bytes: text.length }
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      return { results: failAll(source, calls, error), bytes: 0 }
    }
  }

  return async function post(calls, signal) {
    const { method } = calls[0]!
    const startedAtMs = performance.now()
    counts.requestCount += calls.length
    counts.inFlight += 1
    const limit = answerLimitOf(source.answerLimits, calls, options.responseBytesMax)
    const { results, bytes } = await ask(calls, limit, signal)
    counts.inFlight -= 1
    const durationMs = performance.now() - startedAtMs
    // A reverted contract call is a complete answer, not a node failure.
    const failed = results.find((result) => !result.ok && !result.error.isOfContract)
    if (failed?.ok === false) health.onError(failed.error)
    else health.onAnswer(durationMs)
    const facts = { endpoint: source.name, method, durationMs, bytes }
    onMetric({ type: 'request', ...facts, outcomes: outcomesOf(results) })
    watchSize(calls, limit, { bytes, error: failed?.ok === false ? failed.error : null })
    return results
  }
}

// At most one warning per method and endpoint in this time.
const sizeWarningEveryMs = 60_000
// An answer larger than this share of its limit is logged.
const largeShare = 0.5

/**
 * Creates a watch over answer sizes: warns of large answers, and distrusts a node that sends more
 * than a valid answer can have.
 */
function createSizeWatch({ source, health, logger, onMetric }: PostOptions) {
  const warnedMs = new Map<string, number>()

  return (
    calls: readonly RpcCall[],
    { bytesMax, isExceedable }: AnswerLimit,
    { bytes, error }: { bytes: number; error: RpcError | null },
  ): void => {
    const method = [...new Set(calls.map((call) => call.method))].join(', ')
    const isRefused = error?.kind === 'responseTooLarge'
    if (!isRefused && bytes < bytesMax * largeShare) return
    if (isRefused && !isExceedable) {
      const fault = `Answered ${method} with more than it can be`
      health.onFault(fault)
      onMetric({ type: 'fault', endpoint: source.name, fault })
    }
    const nowMs = Date.now()
    if (nowMs - (warnedMs.get(method) ?? Number.NEGATIVE_INFINITY) < sizeWarningEveryMs) return
    warnedMs.set(method, nowMs)
    const facts = { endpoint: source.name, method, bytesMax }
    if (isRefused) logger.warn({ msg: 'Refused a large answer', ...facts, detail: error.detail })
    else logger.warn({ msg: 'Large answer', ...facts, bytes })
  }
}

function outcomesOf(results: readonly RpcResult[]): Record<string, number> {
  const outcomes: Record<string, number> = {}
  for (const result of results) {
    const outcome = result.ok ? 'ok' : result.error.kind
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  }
  return outcomes
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The endpoint of an answer, with what is known about the node. */
type AnswerSource = RpcSource & {
  capabilities: Capabilities
  classify: RpcDialect['classify']
  answerLimits: RpcDialect['answerLimits']
}

type Answer = { json: unknown; status: number; retryAfterMs: number | undefined }

// Length of an error text used for classification; its first words decide.
const classifiedCharsMax = 500

/**
 * Returns one result per call. Some nodes change the order of a batch, so answers are matched by
 * id.
 */
function readAnswers(source: AnswerSource, calls: readonly RpcCall[], answer: Answer): RpcResult[] {
  if (Array.isArray(answer.json) && calls.length > 1) {
    // Some nodes return numeric ids as text.
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
  calls: readonly RpcCall[],
  error: RpcError,
): RpcResult[] {
  return calls.map(() => ({ ok: false, error, endpoint: source.index }))
}

// Kinds of errors that are about the batch if all of its valid calls fail alike, whatever the text
// says.
const kindsAboutBatch: ReadonlySet<RpcErrorKind> = new Set([
  'refused',
  'failed',
  'malformed',
  'logsRefused',
])

function batchRefusal(source: AnswerSource, { method }: RpcCall, one: RpcResult): RpcError {
  const isAboutBatch = one.ok || one.error.isOfContract || kindsAboutBatch.has(one.error.kind)
  if (!isAboutBatch) return one.error
  const detail = one.ok ? 'One answer to a batch' : one.error.meta.join('; ')
  return new RpcError({ kind: 'batchRefused', method, endpoint: source, detail })
}

function readOne(source: AnswerSource, call: RpcCall, answer: Answer): RpcResult {
  const { index: endpoint } = source
  const { json, status } = answer
  if (typeof json === 'object' && json !== null) {
    if ('error' in json && json.error)
      return { ok: false, error: readError(source, call, answer, json.error), endpoint }
    if ('result' in json) {
      source.capabilities.onAnswer(call, Date.now())
      return { ok: true, value: json.result, endpoint }
    }
    // Gateways in front of nodes answer with an error object without a JSON-RPC envelope.
    if ('message' in json)
      return { ok: false, error: readError(source, call, answer, json), endpoint }
  }
  const detail = 'The answer is not JSON-RPC'
  const error =
    status === 200
      ? new RpcError({ kind: 'malformed', method: call.method, endpoint: source, detail })
      : readError(source, call, answer, null)
  return { ok: false, error, endpoint }
}

/**
 * Converts a JSON-RPC error object to an RpcError, and records what the error reveals about the
 * node.
 */
function readError(
  source: AnswerSource,
  call: RpcCall,
  { status, retryAfterMs }: Answer,
  failure: unknown,
): RpcError {
  const { method } = call
  const { code, message, data } = (failure ?? {}) as Record<string, unknown>
  const text = typeof message === 'string' ? message : ''
  const { kind, range } = source.classify(call, {
    method,
    code: typeof code === 'number' ? code : undefined,
    message: text.slice(0, classifiedCharsMax),
    data: data === undefined ? undefined : JSON.stringify(data).slice(0, classifiedCharsMax),
    httpStatus: status,
  })
  source.capabilities.onRefusal(call, { kind, range }, Date.now())
  return new RpcError({
    kind,
    method,
    endpoint: source,
    detail: text || `HTTP status ${status}`,
    rangeBlocksMax: range?.blocksMax,
    retryAfterMs,
  })
}
