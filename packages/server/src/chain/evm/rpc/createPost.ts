import { RpcError } from '../../errors.ts'
import type { EvmCall, EvmResult, EvmRpcMetric } from '../evmRpc.ts'
import { type AnswerSource, failAll, readAnswers } from './answers.ts'
import type { Health } from './health.ts'
import type { HttpPost } from './httpPost.ts'

export type PostOptions = {
  source: AnswerSource
  http: HttpPost
  health: Health
  counts: { inFlight: number; requestCount: number }
  onMetric: (metric: EvmRpcMetric) => void
}

/** Sends calls in one HTTP request. Never rejects. */
export type Post = (calls: readonly EvmCall[], signal: AbortSignal) => Promise<EvmResult[]>

export function createPost(options: PostOptions): Post {
  const { source, http, health, counts } = options

  async function ask(calls: readonly EvmCall[], signal: AbortSignal) {
    const bodies = calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))
    const body = JSON.stringify(calls.length === 1 ? bodies[0] : bodies)
    try {
      const { text, ...answer } = await http.post(body, calls[0]!.method, signal)
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
    const { results, bytes } = await ask(calls, signal)
    counts.inFlight -= 1
    const durationMs = performance.now() - startedAtMs
    // A contract that reverts has been answered for.
    const failed = results.find((result) => !result.ok && !result.error.isOfContract)
    if (failed?.ok === false) health.onError(failed.error)
    else health.onAnswer(durationMs)
    const facts = { endpoint: source.name, method, durationMs, bytes }
    options.onMetric({ type: 'request', ...facts, outcomes: outcomesOf(results) })
    return results
  }
}

function outcomesOf(results: readonly EvmResult[]): Record<string, number> {
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
